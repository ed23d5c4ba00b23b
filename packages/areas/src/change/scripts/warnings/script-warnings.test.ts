import { systemScripts } from '@muster/script-library/system-scripts.ts'
import { describe, expect, it } from 'vitest'
import { warningsOf } from './script-warnings.ts'

describe('the warnings of a script', () => {
  it('are none for the scripts of the library', async () => {
    const found: unknown[] = []
    for (const each of systemScripts()) for (const warning of await warningsOf(each)) found.push([each.key, warning])
    expect(found).toEqual([])
  })

  it.each([
    ['bash', 'if true; then\n  echo open\n', 1],
    ['sh', 'echo one\nfor x in a b; do echo $x\n', 2],
    ['python', 'import os\n\ndef f(:\n  pass\n', 3],
    ['powershell', '$x = 1\nif ($x) { Get-Process\n', 2],
  ] as const)('name the line of a fault of %s', async (language, content, line) => {
    const [first] = await warningsOf({ language, content })
    expect(first).toMatchObject({ line, column: expect.any(Number), message: expect.any(String) })
  })

  it('are none for languages without a grammar', async () => {
    expect(await warningsOf({ language: 'cmd', content: 'if (' })).toEqual([])
  })

  it('are at most 20', async () => {
    expect(await warningsOf({ language: 'python', content: ')\ndef (:\nx = = 1\n'.repeat(200) })).toHaveLength(20)
  })

  it('of the largest script come within seconds, and later scripts have theirs', async () => {
    const began = performance.now()
    for (const content of ['$('.repeat(131_072), '{'.repeat(262_144), 'a b\n'.repeat(65_536), '<<A '.repeat(65_536)])
      expect(Array.isArray(await warningsOf({ language: 'bash', content }))).toBe(true)
    expect(performance.now() - began).toBeLessThan(25_000)
    expect(await warningsOf({ language: 'bash', content: 'if true' })).not.toEqual([])
  })
})
