import { type Process, type ProcessDetail, processesMax } from '@muster/wire/commands/processes.ts'
import { pause } from '../../../pause.ts'
import { failureOf, ToolFailure } from '../../../tool-failure.ts'
import type { ProcessTools } from '../../tools.ts'
import type { NamesReader } from '../accounts.ts'
import { type Mac, printed } from '../mac.ts'
import { identify, nameOf, parseThreads, type Row, readExecutables, readRows } from '../process-table.ts'

const commandCharsMax = 1_000
/** An older reading is not used to compute the current CPU usage. */
const usageKeptMs = 60_000
const startToleranceMs = 2_000
const killWaitMs = 1_000
const killLookMs = 100

interface Seen {
  startedAt: string
  cpuSeconds: number
}

/** Everything comes from `ps`; the open files and the folder of one process from `lsof`. */
export function createProcessTools(mac: Mac, names: NamesReader): ProcessTools {
  let last: { atMs: number; seen: Map<number, Seen> } = { atMs: 0, seen: new Map() }

  const readThreads = async () => parseThreads(await printed(mac, 'ps', ['-axM']))

  async function describe(rows: readonly Row[]): Promise<Process[]> {
    const [{ user }, executables, threads] = await Promise.all([names(), readExecutables(mac), readThreads()])
    const nowMs = Date.now()
    return rows.map((row) => ({
      pid: row.pid,
      parentPid: row.parentPid,
      name: nameOf(row, executables.get(row.pid)),
      command: row.command.slice(0, commandCharsMax),
      user: user(row.uid),
      state: row.state,
      cpuPercent: usageOf(row, nowMs, last),
      memoryBytes: row.residentBytes,
      threads: threads.get(row.pid) ?? 1,
      startedAt: row.startedAt,
    }))
  }

  async function one(pid: number): Promise<{ row: Row; process: Process }> {
    const [row] = await readRows(mac, pid)
    const [process] = row === undefined ? [] : await describe([row])
    if (row === undefined || process === undefined) throw new ToolFailure('NOT_FOUND', `Process ${pid} not found`)
    return { row, process }
  }

  return {
    async list() {
      const rows = await readRows(mac)
      if (rows.length === 0) throw new ToolFailure('COMMAND_FAILED', 'ps listed no process')
      const processes = await describe(rows.slice(0, processesMax))
      last = { atMs: Date.now(), seen: new Map(rows.map((row) => [row.pid, row])) }
      return { processes: processes.sort((a, b) => a.pid - b.pid), truncated: rows.length > processesMax }
    },

    async detail(pid) {
      const [{ row, process }, all, files] = await Promise.all([one(pid), readRows(mac), readOpenFiles(mac, pid)])
      return {
        ...process,
        ...detailsOf(row, await names(), await readExecutables(mac), files),
        children: childrenOf(pid, all),
      }
    },

    async kill({ pid, signal, startedAt }) {
      const { process: found } = await one(pid)
      if (startedAt !== undefined && Math.abs(Date.parse(startedAt) - Date.parse(found.startedAt)) > startToleranceMs)
        throw new ToolFailure('CHANGED', `Process ${pid} is now another process`)
      if (pid === 1 || pid === process.pid) throw new ToolFailure('DENIED', `${found.name} (${pid}) must not be killed`)
      const identity = await identify(mac, pid)
      try {
        process.kill(pid, `SIG${signal}`)
      } catch (error) {
        throw failureOf(error, `process ${pid}`)
      }
      return { pid, name: found.name, signal, ended: await hasEnded(mac, pid, identity) }
    },
  }
}

/** Waits briefly for a process to end; a zombie counts as ended. */
async function hasEnded(mac: Mac, pid: number, identity: string | undefined): Promise<boolean> {
  const untilMs = performance.now() + killWaitMs
  while ((await identify(mac, pid)) === identity && identity !== undefined) {
    if (performance.now() >= untilMs) return false
    await pause(killLookMs, new AbortController().signal)
  }
  return true
}

/** Percent of one processor since the previous list, else over the life of the process. */
function usageOf(row: Row, nowMs: number, last: { atMs: number; seen: ReadonlyMap<number, Seen> }): number {
  const before = last.seen.get(row.pid)
  const isKnown = before?.startedAt === row.startedAt && nowMs - last.atMs <= usageKeptMs && nowMs > last.atMs
  const seconds = isKnown ? row.cpuSeconds - before.cpuSeconds : row.cpuSeconds
  const overMs = isKnown ? nowMs - last.atMs : nowMs - Date.parse(row.startedAt)
  return overMs <= 0 ? 0 : Math.max(0, Math.round((seconds / (overMs / 1000)) * 1000) / 10)
}

const childrenOf = (pid: number, rows: readonly Row[]) =>
  rows.filter(({ parentPid }) => parentPid === pid).map((row) => row.pid)

interface OpenFiles {
  workingDirectory: string | null
  openFiles: number | null
}

function detailsOf(
  row: Row,
  { group }: Awaited<ReturnType<NamesReader>>,
  executables: ReadonlyMap<number, string>,
  files: OpenFiles,
): Omit<ProcessDetail, keyof Process | 'children'> {
  const executable = executables.get(row.pid)
  return {
    ...files,
    executable: executable?.startsWith('/') ? executable : null,
    group: group(row.gid),
    nice: row.nice,
    virtualBytes: row.virtualBytes,
    // Only private calls of the system tell how much a process read and wrote.
    readBytes: null,
    writtenBytes: null,
    controlGroup: null,
  }
}

async function readOpenFiles(mac: Mac, pid: number): Promise<OpenFiles> {
  // Without names of hosts and ports, which would be looked up in the network.
  return parseOpenFiles(await printed(mac, 'lsof', ['-n', '-P', '-w', '-p', String(pid), '-F', 'fn']))
}

/** `lsof -F fn`: a line with `f` for each descriptor, then one with `n` for what it is open on. */
export function parseOpenFiles(text: string): OpenFiles {
  const lines = text.split('\n')
  const cwd = lines.indexOf('fcwd')
  const folder = cwd < 0 ? undefined : lines[cwd + 1]
  if (!lines.some((line) => line.startsWith('f'))) return { workingDirectory: null, openFiles: null }
  return {
    workingDirectory: folder?.startsWith('n/') ? folder.slice(1) : null,
    openFiles: lines.filter((line) => /^f\d+$/.test(line)).length,
  }
}
