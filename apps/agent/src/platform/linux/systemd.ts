import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import { toolOutputBytesMax } from '../../limits.ts'
import { ToolFailure } from '../../tool-failure.ts'
import { systemPath } from './tool.ts'

const programTimeoutMs = 55_000

export interface Ended {
  exitCode: number
  stdout: string
  stderr: string
}

/** How programs of the system are run. Tests put their own in its place. */
export interface Host {
  /** Folders in which programs are looked for. */
  readonly path: string
  /** Exists exactly while systemd runs the machine. */
  readonly systemdMark: string
}

export const thisHost: Host = { path: systemPath, systemdMark: '/run/systemd/system' }

/** Runs a program with exactly these arguments, no shell between. @throws ToolFailure when it is not installed */
export function runProgram(host: Host, program: string, args: readonly string[]): Promise<Ended> {
  const options = {
    env: { PATH: host.path, LC_ALL: 'C', SYSTEMD_COLORS: '0', SYSTEMD_PAGER: '' },
    timeout: programTimeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: toolOutputBytesMax,
    encoding: 'utf8',
  } as const
  return new Promise((resolve, reject) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ exitCode: 0, stdout, stderr })
      else if (typeof error.code === 'number') resolve({ exitCode: error.code, stdout, stderr })
      else if (error.code === 'ENOENT') reject(new ToolFailure('NOT_FOUND', `${program} is not installed`))
      else if (error.killed === true) reject(new ToolFailure('TIMED_OUT', `${program} took too long`))
      else reject(new ToolFailure('COMMAND_FAILED', error.message.slice(0, 500)))
    })
  })
}

/** Does systemd run this machine? */
export async function isSystemd({ systemdMark }: Host): Promise<boolean> {
  return access(systemdMark).then(
    () => true,
    () => false,
  )
}

/** Runs systemctl. @throws ToolFailure in its own words when it refuses, or when systemd does not run */
export async function systemctl(host: Host, args: readonly string[]): Promise<string> {
  if (!(await isSystemd(host)))
    throw new ToolFailure(
      'NO_SERVICE_MANAGER',
      'systemd does not run on this machine, and nothing else manages services',
    )
  const { exitCode, stdout, stderr } = await runProgram(host, 'systemctl', ['--no-pager', '--no-ask-password', ...args])
  if (exitCode === 0) return stdout
  const words = stderr.trim() || stdout.trim() || `systemctl ended with exit code ${exitCode}`
  const isUnknown = exitCode === 5 || /not (be )?found|not loaded/.test(words)
  throw new ToolFailure(isUnknown ? 'NOT_FOUND' : 'COMMAND_FAILED', words.slice(0, 500))
}

/** The blocks of `systemctl show`: one per unit, of lines `Name=value`. */
export function parseShow(text: string): Record<string, string>[] {
  return text
    .split(/\n\n+/)
    .filter((block) => block.trim() !== '')
    .map((block) =>
      Object.fromEntries(
        block.split('\n').flatMap((line) => {
          const at = line.indexOf('=')
          return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1)]]
        }),
      ),
    )
}

/** A moment as systemctl writes it: `@seconds` where it was asked to, else `Fri 2026-11-20 06:25:01 UTC`. */
export function momentOf(text: string | undefined): string | null {
  const seconds = /^@(\d+)(?:\.\d+)?$/.exec(text ?? '')?.[1]
  const [, day, time, zone] = /^[A-Z][a-z]{2} (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?: (\S+))?$/.exec(text ?? '') ?? []
  // Names of other zones say too little; the machine's own is the best guess for them.
  const words = day === undefined ? '' : `${day}T${time}${zone === 'UTC' ? 'Z' : ''}`
  const ms = seconds === undefined ? Date.parse(words) : Number(seconds) * 1000
  return Number.isFinite(ms) && ms > 0 ? new Date(ms).toISOString() : null
}
