// Processes that begin or end while they are listed, with the answers that Windows and wine give about them.
import { ProcessList } from '@muster/wire/commands/processes.ts'
import { beforeEach, expect, test, vi } from 'vitest'
import { ProcessEntry } from '../native/processes-api.ts'
import { failing, record, recorded } from '../testing/recorded-windows.ts'
import { listProcesses } from './processes.ts'

vi.mock('../native/koffi.ts', () => import('../testing/recorded-windows.ts'))

const [pid, invalidHandle] = [4711, 6]
beforeEach(() => recorded.clear())

/** One process, and the answer to the question for its times. */
function oneProcess(times: (created: Buffer) => number | bigint): void {
  record({
    CreateToolhelp32Snapshot: () => 1n,
    Process32FirstW: (_snapshot: bigint, entry: Buffer) => {
      entry.writeUInt32LE(pid, ProcessEntry.offsetOf('pid'))
      entry.write('begins.exe', ProcessEntry.offsetOf('name'), 'utf16le')
      return 1
    },
    Process32NextW: () => 0,
    OpenProcess: () => 2n,
    NtQueryInformationProcess: () => -1,
    QueryFullProcessImageNameW: () => 0,
    OpenProcessToken: () => 0,
    K32GetProcessMemoryInfo: () => 0,
    GetProcessTimes: (_process: bigint, created: Buffer) => times(created),
  })
}

test.each([
  ['has ended', failing(invalidHandle)],
  ['has not started', () => 1],
  ['started in the year 30828', (created: Buffer) => created.writeBigUInt64LE(2n ** 63n - 1n) && 1],
  ['started in the year 14000', (created: Buffer) => created.writeBigUInt64LE(39n * 10n ** 17n) && 1],
])('lists a process of which the system says that it %s', (_, times) => {
  oneProcess(times)
  const listed = ProcessList.parse(listProcesses())
  expect(listed.processes).toMatchObject([{ pid, name: 'begins.exe', startedAt: '1970-01-01T00:00:00.000Z' }])
})
