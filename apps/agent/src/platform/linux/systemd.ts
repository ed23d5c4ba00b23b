import { access } from 'node:fs/promises'
import { ToolFailure } from '../../tool-failure.ts'
import { type ProgramResult, runProgram as run } from '../program.ts'
import { systemPath } from './tool.ts'

/** How system programs are run. Tests replace it. */
export interface Host {
  /** Search path for programs. */
  readonly path: string
  /** Exists exactly while systemd is the init system. */
  readonly systemdMark: string
}

export const thisHost: Host = { path: systemPath, systemdMark: '/run/systemd/system' }

/** Runs a program of the host with exactly these arguments. @throws ToolFailure when it is not installed */
export function runProgram(host: Host, program: string, args: readonly string[]): Promise<ProgramResult> {
  return run(program, args, { PATH: host.path, LC_ALL: 'C', SYSTEMD_COLORS: '0', SYSTEMD_PAGER: '' })
}

/** Whether systemd is the init system of this machine. */
export async function isSystemd({ systemdMark }: Host): Promise<boolean> {
  return access(systemdMark).then(
    () => true,
    () => false,
  )
}

/** Runs systemctl. @throws ToolFailure with its own message when it fails, or when systemd is not running */
export async function systemctl(host: Host, args: readonly string[]): Promise<string> {
  if (!(await isSystemd(host)))
    throw new ToolFailure(
      'NO_SERVICE_MANAGER',
      'this machine does not run systemd; the agent manages services only through systemd',
    )
  const { exitCode, stdout, stderr } = await runProgram(host, 'systemctl', ['--no-pager', '--no-ask-password', ...args])
  if (exitCode === 0) return stdout
  const words = stderr.trim() || stdout.trim() || `systemctl ended with exit code ${exitCode}`
  const isUnknown = exitCode === 5 || /not (be )?found|not loaded/.test(words)
  throw new ToolFailure(isUnknown ? 'NOT_FOUND' : 'COMMAND_FAILED', words.slice(0, 500))
}

/** The blocks of `systemctl show`: one per unit, with lines `Name=value`. */
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

/** Parses a time of systemctl: `@seconds` where supported, else `Fri 2026-11-20 06:25:01 UTC`. */
export function momentOf(text: string | undefined): string | null {
  const seconds = /^@(\d+)(?:\.\d+)?$/.exec(text ?? '')?.[1]
  const [, day, time, zone] = /^[A-Z][a-z]{2} (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?: (\S+))?$/.exec(text ?? '') ?? []
  // Other zone abbreviations are ambiguous; the machine's own zone is the best guess.
  const words = day === undefined ? '' : `${day}T${time}${zone === 'UTC' ? 'Z' : ''}`
  const ms = seconds === undefined ? Date.parse(words) : Number(seconds) * 1000
  return Number.isFinite(ms) && ms > 0 ? new Date(ms).toISOString() : null
}
