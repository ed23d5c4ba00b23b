// Scheduled tasks that the agent may not open, with what `schtasks` prints in two languages. wine has no folders of tasks.
import { beforeEach, expect, test, vi } from 'vitest'
import { consoleText } from '../calls/console-text.ts'
import { record, recorded } from '../testing/recorded-windows.ts'
import { createTaskTools } from './task-tools.ts'

const program = vi.hoisted(() => ({ run: vi.fn() }))
vi.mock('../native/koffi.ts', () => import('../testing/recorded-windows.ts'))
vi.mock('../thread/native-thread.ts', () => import('../testing/same-thread.ts'))
vi.mock('../program.ts', () => ({ runTool: program.run }))

const path = 'task:\\Closed\\Backup'
const german: Readonly<Record<number, string>> = {
  2: 'Das System kann die angegebene Datei nicht finden.\r\n',
  5: 'Zugriff verweigert\r\n',
}
/** The texts of a Windows in German. */
const inGerman = () =>
  record({
    FormatMessageW: (_flags: number, _source: null, code: number, _language: number, buffer: Buffer) =>
      buffer.write(german[code] ?? '', 'utf16le') / 2,
  })
const prints = (stderr: string) => program.run.mockResolvedValue({ exitCode: 1, stdout: '', stderr })
beforeEach(() => recorded.clear())

test.each([
  ['ERROR: Access is denied.\r\n', 'NOT_PERMITTED'],
  ['FEHLER: Zugriff verweigert\r\n', 'NOT_PERMITTED'],
  ['ERROR: The system cannot find the path specified.\r\n', 'NOT_FOUND'],
  ['FEHLER: Das System kann die angegebene Datei nicht finden.\r\n', 'NOT_FOUND'],
  ['FEHLER: Etwas anderes.\r\n', 'COMMAND_FAILED'],
])('a task folder of which schtasks says %j answers %s', async (stderr, code) => {
  inGerman()
  prints(stderr)
  const { list, detail, history, run, switch: change } = createTaskTools()
  for (const ask of [
    list,
    () => detail(path),
    () => history({ path, limit: 1 }),
    () => run(path),
    () => change(path, true),
  ])
    await expect(ask()).rejects.toMatchObject({ code })
})

test('a task of which schtasks prints nothing does not exist, and is not run', async () => {
  program.run.mockReset().mockResolvedValue({ exitCode: 0, stdout: '', stderr: '' })
  const { detail, run, switch: change } = createTaskTools()
  for (const ask of [() => detail(path), () => run(path), () => change(path, false)])
    await expect(ask()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(program.run.mock.calls.map(([, [word]]) => word)).toEqual(['/query', '/query', '/query'])
})

test.each(['task:\\\\server\\x', 'task:\\*', 'task:\\a\\..\\b', 'task:\\a\\'])(
  '%s is not the path of a task',
  async (wrong) => {
    program.run.mockReset()
    await expect(createTaskTools().detail(wrong)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(program.run).not.toHaveBeenCalled()
  },
)

test('a text in the code page of the console is read in it, and UTF-8 as such', () => {
  record({
    // As for code page 850.
    MultiByteToWideChar: (page: number, _flags: number, bytes: Buffer, size: number, text: Buffer) => {
      expect([page, bytes.length]).toEqual([1, size])
      return (
        text.write([...bytes].map((byte) => (byte === 0x81 ? 'ü' : String.fromCharCode(byte))).join(''), 'utf16le') / 2
      )
    },
  })
  expect(consoleText(Buffer.from('\\Gr\u0081n', 'latin1'))).toBe('\\Grün')
  expect(consoleText(Buffer.from('\\Grün 😀'))).toBe('\\Grün 😀')
  record({ MultiByteToWideChar: () => 0 })
  expect(consoleText(Buffer.from([0x41, 0x81]))).toBe('A\uFFFD')
})
