import { expect, test } from 'vitest'
import { fileText, settingsIn } from './setting-lines.ts'

test.each([
  ['PermitRootLogin no', ['no']],
  ['permitrootlogin=no', ['no']],
  ['  PermitRootLogin : no  ', ['no']],
  ['export PermitRootLogin="no thanks" # why', ['no thanks']],
  ["PermitRootLogin = 'a # b'", ['a # b']],
  ['PermitRootLogin no # said so', ['no']],
  ['PermitRootLogin = #fff', ['#fff']],
  ['PermitRootLogin', ['']],
  ['PermitRootLogin yes\n\tPermitRootLogin no', ['yes', 'no']],
  ['# PermitRootLogin yes\n; PermitRootLogin yes\n// PermitRootLogin yes', []],
  ['PermitRootLoginX no\nxPermitRootLogin no', []],
  ['Permit.ootLogin no', []],
])('finds the values of a setting in %j', (text, values) => {
  expect(settingsIn(text, 'PermitRootLogin')).toEqual(values)
})

test('takes a name literally', () => {
  expect(settingsIn('net.ipv4.ip_forward = 1\nnetXipv4.ip_forward = 2\n(a+)+$ = 3', 'net.ipv4.ip_forward')).toEqual([
    '1',
  ])
  expect(settingsIn(`${'a'.repeat(100_000)}\n(a+)+$ = 3`, '(a+)+$')).toEqual(['3'])
})

test('reads text of Windows', () => {
  const text = 'a = 1\r\nb = ü\r\n'
  expect(fileText(Buffer.from(`\ufeff${text}`, 'utf16le'))).toBe('a = 1\nb = ü\n')
  expect(fileText(Buffer.from(`\ufeff${text}`, 'utf8'))).toBe('a = 1\nb = ü\n')
})
