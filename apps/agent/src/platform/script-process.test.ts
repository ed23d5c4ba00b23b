import { EventEmitter } from 'node:events'
import { expect, test, vi } from 'vitest'
import { spawnScript } from './script-process.ts'

const program = vi.hoisted(() => ({ spawn: vi.fn() }))
vi.mock('node:child_process', () => program)

const start = {
  commandId: '1',
  language: 'cmd',
  file: 'script',
  args: [],
  environment: {},
  workingDirectory: '/',
} as const
const interpreter = {
  program: 'cmd.exe',
  args: [],
  environment: {},
  leadsGroup: false,
  exitCodeOf: () => null,
  grip: () => ({ terminate() {}, kill() {} }),
}

test.each([
  [0, 0],
  [2 ** 31 - 1, 2 ** 31 - 1],
  [2 ** 31, -(2 ** 31)],
  [0xc000_0005, -1_073_741_819],
  [0xffff_ffff, -1],
])('reports the exit code %i of Windows as %i', async (reported, exitCode) => {
  const child = new EventEmitter()
  program.spawn.mockReturnValue(child)
  const { ended } = spawnScript(start, interpreter)
  child.emit('exit', reported, null)
  expect(await ended).toEqual({ exitCode, signal: null })
})
