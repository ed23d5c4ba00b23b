import { basename } from 'node:path'
import { type Mac, printed, run } from './mac.ts'

/** One row of `ps`. */
export interface Row {
  pid: number
  parentPid: number
  uid: number
  gid: number
  state: string
  nice: number
  virtualBytes: number
  residentBytes: number
  /** Processor time so far, in seconds. */
  cpuSeconds: number
  startedAt: string
  command: string
}

// A separate flag for each column: ps takes everything after an equals sign as the header.
const columns = ['pid', 'ppid', 'uid', 'gid', 'state', 'nice', 'vsz', 'rss', 'time', 'lstart', 'args']
const columnFlags = columns.flatMap((name) => ['-o', `${name}=`])
const rowShape =
  /^\s*(\d+)\s+(\d+)\s+(-?\d+)\s+(-?\d+)\s+(\S+)\s+(-?\d+|-)\s+(\d+)\s+(\d+)\s+([\d:.,-]+)\s+(?:[A-Z][a-z]{2}\s+)?([A-Z][a-z]{2})\s+(\d{1,2})\s+(\d\d:\d\d:\d\d)\s+(\d{4})(?:\s(.*))?$/u

/** All processes, or one. */
export async function readRows(mac: Mac, pid?: number): Promise<Row[]> {
  const which = pid === undefined ? ['-ax'] : ['-p', String(pid)]
  return parseRows(await printed(mac, 'ps', [...which, '-ww', ...columnFlags]))
}

export function parseRows(text: string): Row[] {
  return text.split('\n').flatMap((line) => {
    const fields = rowShape.exec(line)?.slice(1)
    if (fields === undefined) return []
    const [pid, parentPid, uid, gid, state = '?', nice, virtual, resident, time = '', month, day, clock, year] = fields
    return [
      {
        pid: Number(pid),
        parentPid: Number(parentPid),
        uid: unsigned(Number(uid)),
        gid: unsigned(Number(gid)),
        state: state.slice(0, 1),
        nice: nice === '-' ? 0 : Number(nice),
        virtualBytes: Number(virtual) * 1024,
        residentBytes: Number(resident) * 1024,
        cpuSeconds: secondsOf(time),
        startedAt: new Date(`${day} ${month} ${year} ${clock} UTC`).toISOString(),
        command: (fields[13] ?? '').trim(),
      },
    ]
  })
}

const unsigned = (value: number) => (value < 0 ? value + 2 ** 32 : value)

/** `0:01.23`, `12:34:56`, `2-03:04:05`, and a decimal comma. */
export function secondsOf(time: string): number {
  const [clock = '', days = '0'] = time.replace(',', '.').split('-').reverse()
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) + Number(days) * 86_400
  return Number.isFinite(seconds) ? seconds : 0
}

/** The executable of each process, whose path may have blanks. */
export async function readExecutables(mac: Mac): Promise<Map<number, string>> {
  return parseExecutables(await printed(mac, 'ps', ['-ax', '-ww', '-o', 'pid=', '-o', 'comm=']))
}

export function parseExecutables(text: string): Map<number, string> {
  return new Map(
    text.split('\n').flatMap((line) => {
      const [, pid, path] = /^\s*(\d+)\s+(.*\S)\s*$/u.exec(line) ?? []
      return path === undefined ? [] : [[Number(pid), path] as const]
    }),
  )
}

/** The name of a process; that of a login shell begins with a minus sign. */
export const nameOf = ({ command }: Row, executable: string | undefined): string =>
  basename(executable ?? command.split(' ')[0] ?? '').replace(/^-/, '') || '?'

/** Number of threads by PID from `ps -M`, which prints one line per thread; the owner stands on the first one only. */
export function parseThreads(text: string): Map<number, number> {
  const counts = new Map<number, number>()
  for (const line of text.split('\n')) {
    const pid = Number(/^(?:\S+)?\s+(\d+)\s/.exec(line)?.[1] ?? Number.NaN)
    if (Number.isInteger(pid)) counts.set(pid, (counts.get(pid) ?? 0) + 1)
  }
  return counts
}

/** PID and start time of a process; undefined for a zombie. */
export async function identify(mac: Mac, pid: number): Promise<string | undefined> {
  const { stdout } = await run(mac, 'ps', ['-p', String(pid), '-o', 'state=', '-o', 'lstart='])
  const [, state, startedAt] = /^\s*(\S+)\s+(.*\S)\s*$/.exec(stdout) ?? []
  return state === undefined || /^[ZX]/.test(state) ? undefined : `${pid}:${startedAt}`
}
