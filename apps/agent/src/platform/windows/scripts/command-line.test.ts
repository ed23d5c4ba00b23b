import { describe, expect, test } from 'vitest'
import { commandLineOf, environmentBlock } from './command-line.ts'

describe('command lines', () => {
  test.each([
    ['plain', 'plain'],
    ['', '""'],
    ['a b', '"a b"'],
    ['C:\\a b\\', '"C:\\a b\\\\"'],
    ['C:\\a\\', 'C:\\a\\'],
    ['say "hi"', '"say \\"hi\\""'],
    ['\\"', '"\\\\\\""'],
  ])('quote %j as %s', (word, line) => {
    expect(commandLineOf('p.exe', [word], false)).toBe(`p.exe ${line}`)
  })

  test('keep arguments that are written already', () => {
    expect(commandLineOf('C:\\a b\\cmd.exe', ['/c', '""x" "y""'], true)).toBe('"C:\\a b\\cmd.exe" /c ""x" "y""')
  })
})

test('puts the variables of a script into the environment of a user', () => {
  const user = ['=C:=C:\\', 'Path=C:\\Windows', 'TEMP=C:\\T']
  expect(environmentBlock(user, { PATH: 'D:\\', name: 'a=b' })).toBe('=C:=C:\\\0name=a=b\0PATH=D:\\\0TEMP=C:\\T\0\0')
})
