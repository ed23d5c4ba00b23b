import { RegistryValue } from '@muster/wire/commands/registry.ts'
import { expect, test } from 'vitest'
import { withBytes } from './registry-text.ts'

test.each(['a\0b', '\0', 'half \ud800'])('text %j that frames cannot carry comes with its bytes', (data) => {
  const sent = withBytes({ name: 'Sample', type: 'REG_SZ', data })
  expect(Buffer.from(sent.bytes ?? '', 'base64').toString('utf16le')).toBe(data)
  expect(RegistryValue.parse(sent)).toEqual(sent)
})

test.each(['', 'text', 'ünïcödé 🙂', 7, ['a', 'b']])('%j is sent without bytes', (data) => {
  expect(withBytes({ name: 'Sample', type: 'REG_SZ', data })).not.toHaveProperty('bytes')
})
