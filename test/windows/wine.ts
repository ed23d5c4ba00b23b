// Runs Windows programs under wine: the package is installed where this user may, one prefix is made once and reused, and each
// test file has a copy of it, so that files run side by side.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../shape/sources.ts'

const exec = promisify(execFile)
const installMs = 600_000
const prefixMs = 240_000
const program = '/usr/bin/wine'
const cache = join(root, '.muster')
const base = join(cache, 'wine-base')
const installation =
  `[ -x ${program} ] || { apt-get update -q && ` +
  'apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=300 wine wine64; }'
/** One process at a time makes the prefix; a part of one that was interrupted is removed. */
const preparation =
  `[ -d "$BASE" ] || { rm -rf "$WINEPREFIX" && wineboot --init && ${program} winecfg -v win10 && ` +
  'wineserver --wait && mv "$WINEPREFIX" "$BASE"; }'
const environment = {
  PATH: '/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin',
  HOME: process.env.HOME ?? '/root',
  // Names of files are UTF-8.
  LANG: 'C.UTF-8',
  WINEARCH: 'win64',
  WINEDEBUG: '-all',
  // No dialogs that offer to install a browser engine or .NET.
  WINEDLLOVERRIDES: 'mscoree=,mshtml=',
}

/** Why Windows programs cannot run on this machine; undefined when they can. */
export const withoutWine: string | undefined = reason()

function reason(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'wine runs the x64 executable on Linux x64 only'
  const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
  if (!existsSync(program) && !mayInstall) return 'wine is not installed (Debian: apt-get install wine)'
  return undefined
}

/** A Windows with its own drive C. */
export class Wine {
  readonly #prefix: string
  readonly #env: Record<string, string>
  readonly #started: ChildProcess[] = []

  private constructor(prefix: string) {
    this.#prefix = prefix
    this.#env = { ...environment, WINEPREFIX: prefix }
  }

  /** @param name that of a test file: no two Windows that run at the same time may have the same */
  static async open(name: string): Promise<Wine> {
    await mkdir(join(cache, 'wine'), { recursive: true })
    const [lock, maxBuffer] = [join(cache, 'wine.lock'), 64 * 1024 * 1024]
    const env = { ...environment, DEBIAN_FRONTEND: 'noninteractive', BASE: base, WINEPREFIX: `${base}.unfinished` }
    await exec('flock', ['--close', lock, 'sh', '-c', installation], { env, timeout: installMs, maxBuffer })
    await exec('flock', ['--close', lock, 'sh', '-c', preparation], { env, timeout: prefixMs, maxBuffer })
    const wine = new Wine(join(cache, 'wine', name))
    await wine.#begin()
    return wine
  }

  /** Makes a new copy of the prefix. */
  async #begin(): Promise<void> {
    // What an interrupted run has left.
    await this.stop()
    await rm(this.#prefix, { recursive: true, force: true })
    await exec('cp', ['--archive', '--link', base, this.#prefix])
    // wine writes into a file of its registry, instead of replacing it, when the file has several links.
    for (const name of ['system.reg', 'user.reg', 'userdef.reg'])
      await exec('cp', ['--archive', '--remove-destination', join(base, name), join(this.#prefix, name)])
  }

  /** The path of a file on drive C, for programs of this system. */
  path(...names: string[]): string {
    return join(this.#prefix, 'drive_c', ...names)
  }

  /** Runs a program to its end, with its output in a file: under wine a pipe of this system breaks some programs. */
  async run(file: string, args: readonly string[], env: Record<string, string> = {}): Promise<number | null> {
    const child = await this.start(file, args, '/dev/null', env)
    return new Promise((resolve) => child.once('exit', resolve))
  }

  /** Starts a program that runs on, with its output in a log file. */
  async start(
    file: string,
    args: readonly string[],
    log: string,
    env: Record<string, string> = {},
  ): Promise<ChildProcess> {
    const output = await open(log, 'a')
    const child = spawn(program, [file, ...args], {
      env: { ...this.#env, ...env },
      stdio: ['ignore', output.fd, output.fd],
    })
    this.#started.push(child)
    child.once('exit', () => void output.close())
    return child
  }

  /** Ends every program of this Windows. */
  async stop(): Promise<void> {
    await exec('wineserver', ['--kill'], { env: this.#env }).catch(() => undefined)
    const running = this.#started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
    await Promise.all(
      running.map((child) => {
        const ended = new Promise((resolve) => child.once('exit', resolve))
        child.kill('SIGKILL')
        return ended
      }),
    )
  }
}
