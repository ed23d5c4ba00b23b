// Runs Windows programs under wine: the package is installed where this user may, and one prefix is made once and reused.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../shape/sources.ts'

const exec = promisify(execFile)
const installMs = 600_000
const prefixMs = 120_000
const program = '/usr/bin/wine'
const cache = join(root, '.muster')
const prefix = join(cache, 'wine-prefix')
const installation =
  `[ -x ${program} ] || { apt-get update -q && ` +
  'apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=300 wine wine64; }'
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
  readonly #env = { ...environment, WINEPREFIX: prefix }
  readonly #started: ChildProcess[] = []

  static async open(): Promise<Wine> {
    await mkdir(cache, { recursive: true })
    const lock = join(cache, 'wine.lock')
    await exec('flock', [lock, 'sh', '-c', installation], {
      env: { ...environment, DEBIAN_FRONTEND: 'noninteractive' },
      timeout: installMs,
      maxBuffer: 64 * 1024 * 1024,
    })
    if (!existsSync(prefix)) await makePrefix()
    return new Wine()
  }

  /** The path of a file on drive C, for programs of this system. */
  path(...names: string[]): string {
    return join(prefix, 'drive_c', ...names)
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

async function makePrefix(): Promise<void> {
  const unfinished = `${prefix}.${process.pid}`
  const env = { ...environment, WINEPREFIX: unfinished }
  try {
    await exec('wineboot', ['--init'], { env, timeout: prefixMs })
    await exec(program, ['winecfg', '-v', 'win10'], { env, timeout: prefixMs })
    await exec('wineserver', ['--wait'], { env, timeout: prefixMs })
    await rename(unfinished, prefix)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}
