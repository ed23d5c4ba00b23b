import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Capabilities, type Capability, capabilityNames, encodeCapabilities, obstacleIn } from './capabilities.ts'
import { ScriptLanguage } from './commands/scripts.ts'

test('what is written can be read', () => {
  const lacks = { 'script:python': 'MISSING_TOOL', reboot: 'NOT_PERMITTED', get_task: 'UNSUPPORTED_PLATFORM' } as const
  const written = Capabilities.parse(encodeCapabilities(lacks))
  const read = capabilityNames.flatMap((name) => {
    const obstacle = obstacleIn(written, name)
    return obstacle === null ? [] : [[name, obstacle]]
  })
  expect(Object.fromEntries(read)).toEqual(lacks)
})

test('an older agent has not said anything about what came later', () => {
  expect(obstacleIn('+p', 'refresh_inventory')).toBeNull()
  expect(obstacleIn('+p', 'run_script')).toBe('UNSUPPORTED_PLATFORM')
  expect(obstacleIn('+p', 'set_auto_update')).toBeUndefined()
})

test('a newer agent may append characters and use other letters', () => {
  const newer = Capabilities.parse(`x${encodeCapabilities({}).slice(1)}+tq`)
  expect(obstacleIn(newer, 'refresh_inventory')).toBe('UNSUPPORTED_PLATFORM')
  expect(obstacleIn(newer, 'run_script')).toBeNull()
})

test.each([
  ['empty text', ''],
  ['more than 255 characters', '+'.repeat(256)],
  ['other characters', '++A'],
  ['a line end', '++\n'],
  ['NUL', '+\0'],
  ['a list', ['+']],
  ['a number', 1],
])('rejects %s', (_words, value) => {
  expect(Capabilities.safeParse(value).success).toBe(false)
})

test('every language of scripts is a capability', () => {
  const languages = ScriptLanguage.options.map((language): Capability => `script:${language}`)
  expect(capabilityNames).toEqual(expect.arrayContaining(languages))
})

test('the documentation lists all capabilities in their order', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const [, section = ''] = /\n## Capabilities\n(.*?)\n## /s.exec(readme) ?? []
  const rows = [...section.matchAll(/^\| (\d+)(?:–(\d+))? \| (.+?) \|$/gm)]
  const listed = rows.flatMap(([, , , names = '']) => [...names.matchAll(/`([a-z_:]+)`/g)].map(([, name]) => name))
  expect(listed).toEqual(capabilityNames)
  let next = 0
  for (const [, first, last = first, names = ''] of rows) {
    const count = names.split(',').length
    expect([first, last]).toEqual([String(next), String(next + count - 1)])
    next += count
  }
})
