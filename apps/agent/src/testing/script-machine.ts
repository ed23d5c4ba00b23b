import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fillTemplate } from '@muster/script-library/fill-template.ts'
import { scriptTemplates } from '@muster/script-library/script-templates.ts'
import { systemScripts } from '@muster/script-library/system-scripts.ts'
import { debianPackages } from '@muster/testkit/debian.ts'
import { runScript } from '../commands/run-script.ts'
import { linux } from '../platform/linux/linux.ts'
import { scriptSystem } from '../platform/linux/scripts.ts'
import { systemPath } from '../platform/linux/tool.ts'
import type { ScriptStart } from '../platform/platform.ts'
import { startInGroup } from '../platform/posix/script-group.ts'
import { temporaryFolder } from './test-agent.ts'

/** What a script printed, and its exit code: 0 is success, 1 an error, 2 a warning. */
export interface Told {
  exitCode: number | undefined
  stdout: string
  stderr: string
}

type Value = string | number | boolean

const scripts = new Map(systemScripts().map((script) => [script.key, script]))
const templates = new Map(scriptTemplates().map((template) => [template.key, template]))
/** Folders that belong to the machine alone. The rest of the file system is that of the host, and cannot be written. */
const own = ['etc', 'var', 'home', 'root', 'run', 'srv', 'tmp']
const copied = ['default/useradd', 'ld.so.cache', 'login.defs', 'nsswitch.conf', 'ssl/openssl.cnf']
const accounts = {
  passwd: ['root:x:0:0:root:/root:/bin/bash', 'daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin'],
  group: ['root:x:0:', 'daemon:x:1:', 'sudo:x:27:', 'docker:x:990:'],
  shadow: ['root:*:19000:0:99999:7:::', 'daemon:*:19000:0:99999:7:::'],
}

/** A machine on which the agent's own runner runs scripts: in bubblewrap, with programs that a test may replace. */
export class ScriptMachine implements AsyncDisposable {
  readonly #folder: AsyncDisposable & { path: string }
  readonly #mounts: string[] = []
  #path = systemPath

  private constructor(folder: AsyncDisposable & { path: string }) {
    this.#folder = folder
  }

  static async create(): Promise<ScriptMachine> {
    await debianPackages('/usr/bin/bwrap', 'bubblewrap')
    const machine = new ScriptMachine(await temporaryFolder(true))
    for (const name of [...own, 'bin', 'interpreters', 'scripts']) await mkdir(machine.path(name))
    for (const name of ['var/tmp', 'var/log', 'var/lib']) await mkdir(machine.path(name))
    for (const name of ['alternatives', 'default', 'skel', 'ssl']) await mkdir(machine.path(`etc/${name}`))
    await Promise.all(copied.map((name) => copyFile(`/etc/${name}`, machine.path(`etc/${name}`))))
    machine.#mounts.push('--ro-bind', '/etc/alternatives', '/etc/alternatives')
    for (const [name, lines] of Object.entries(accounts)) await machine.write(`etc/${name}`, `${lines.join('\n')}\n`)
    await chmod(machine.path('tmp'), 0o1777)
    return machine
  }

  /** Where a file of the machine is on the host. */
  path(name: string): string {
    return join(this.#folder.path, name)
  }

  async write(name: string, text: string, mode = 0o644): Promise<void> {
    await mkdir(dirname(this.path(name)), { recursive: true })
    await writeFile(this.path(name), text, { mode })
  }

  read(name: string): Promise<string> {
    return readFile(this.path(name), 'utf8')
  }

  /** Gives the machine a program in place of the one that the host may have. */
  program(name: string, script: string): Promise<void> {
    return this.write(`bin/${name}`, `#!/bin/sh\n${script}\n`, 0o755)
  }

  /** Shows a folder of the machine in place of one of the host, such as `/proc`. */
  mount(name: string, target: string): void {
    this.#mounts.push('--ro-bind', this.path(name), target)
  }

  /** Hides the programs of the host from scripts. */
  onlyOwnPrograms(): void {
    this.#path = ''
  }

  /** Runs lines of bash, to prepare the machine. */
  shell(script: string): Promise<Told> {
    return this.#start({ language: 'bash', script })
  }

  /** Runs a system script. @throws Error when it leaves temporary files */
  async run(key: string, parameters: Readonly<Record<string, Value>> = {}): Promise<Told> {
    const script = scripts.get(key)
    if (script === undefined) throw new Error(`There is no script ${key}`)
    const env = Object.entries(parameters).map(([name, value]) => [`PARAM_${name.toUpperCase()}`, String(value)])
    return this.#runCleanly(key, {
      language: script.language,
      script: script.content,
      env: Object.fromEntries(env),
    })
  }

  /** Fills a template and runs it. @throws Error when it cannot be filled, or leaves temporary files */
  async runTemplate(key: string, values: Readonly<Record<string, Value>>): Promise<Told> {
    const template = templates.get(key)
    if (template === undefined) throw new Error(`There is no template ${key}`)
    const filled = fillTemplate(template, values)
    if ('problems' in filled) throw new Error(JSON.stringify(filled.problems))
    return this.#runCleanly(key, { language: template.language, script: filled.content })
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#folder[Symbol.asyncDispose]()
  }

  async #runCleanly(key: string, payload: object): Promise<Told> {
    const before = this.#temporary()
    const told = await this.#start(payload)
    const left = this.#temporary().filter((path) => !before.includes(path))
    if (left.length > 0) throw new Error(`${key} left ${left.join(', ')}`)
    return told
  }

  async #start(payload: object): Promise<Told> {
    await Promise.all(['bash', 'sh', 'python3'].map((name) => this.#wrap(name)))
    const path = async () => `${this.path('interpreters')}:${systemPath}`
    const system = { ...scriptSystem, path }
    const platform = { ...linux, startScript: (start: ScriptStart) => startInGroup(start, system) }
    // What these scripts do is tested here; whether the agent may run them is tested with their grants.
    const kind = runScript(
      platform,
      this.path('scripts'),
      { faultOf: async () => undefined },
      { open: () => ({ values: {} }) },
    )
    const prepared = kind.prepare(payload)
    if (!prepared.ok) throw new Error(prepared.problem)
    const run = { id: randomUUID(), timeoutMs: 60_000, signal: new AbortController().signal, show: () => false }
    const { exitCode, stdout = '', stderr = '', error } = await prepared.run(run)
    if (exitCode === undefined) throw new Error(error)
    return { exitCode, stdout, stderr }
  }

  /** An interpreter that the runner finds before the one of the host. */
  #wrap(name: string): Promise<void> {
    const { path } = this.#folder
    const binds = own.flatMap((folder) => ['--bind', this.path(folder), `/${folder}`])
    const kept = ['--bind', this.path('scripts'), this.path('scripts'), '--ro-bind', this.path('bin'), this.path('bin')]
    // Programs that the host has beside those of Debian are not there.
    const system = [
      '--ro-bind',
      '/',
      '/',
      '--tmpfs',
      '/usr/local',
      '--dev',
      '/dev',
      '--proc',
      '/proc',
      ...binds,
      ...kept,
    ]
    const options = ['--die-with-parent', ...system, ...this.#mounts, '--setenv', 'PATH', `${path}/bin:${this.#path}`]
    const lines = ['#!/bin/sh', `exec /usr/bin/bwrap ${options.join(' ')} --chdir "$PWD" /usr/bin/${name} "$@"`]
    return this.write(`interpreters/${name}`, `${lines.join('\n')}\n`, 0o755)
  }

  /** Files that only a script in progress has. */
  #temporary(): string[] {
    const files = readdirSync(this.#folder.path, { recursive: true, encoding: 'utf8' })
    return files.filter((path) =>
      /^(tmp|var\/tmp|scripts)\/|\/\.(muster|authorized_keys|download|archive)\.[^/]*$/.test(path),
    )
  }
}
