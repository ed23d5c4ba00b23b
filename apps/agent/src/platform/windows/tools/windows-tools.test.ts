// Files of Windows where they differ from other systems, with recorded drives.
import { beforeEach, expect, test, vi } from 'vitest'
import { record, recorded, textOf } from '../testing/recorded-windows.ts'
import { createTools } from './windows-tools.ts'

vi.mock('../native/koffi.ts', () => import('../testing/recorded-windows.ts'))
vi.mock('../thread/native-thread.ts', () => import('../testing/same-thread.ts'))

const [fixed, network] = [3, 4]
beforeEach(() => recorded.clear())

test('lists the local drives as the content of /', async () => {
  record({
    GetLogicalDriveStringsW: (_chars: number, roots: Buffer) => roots.write('C:\\\0D:\\\0N:\\\0', 'utf16le') / 2,
    GetDriveTypeW: (root: Buffer) => (textOf(root) === 'N:\\' ? network : fixed),
  })
  const { path, entries } = await createTools([]).files.list('/')
  expect([path, entries.map(({ name, type }) => [name, type])]).toEqual([
    '/',
    [
      ['C:', 'directory'],
      ['D:', 'directory'],
    ],
  ])
})

test('refuses a mode instead of ignoring it', async () => {
  const part = { path: 'C:\\x', uploadId: '1', offset: 0, last: true, abort: false, overwrite: false, mode: '640' }
  await expect(createTools([]).files.write(part, new Uint8Array())).rejects.toMatchObject({ code: 'INVALID_PAYLOAD' })
})
