import { expect, test } from 'vitest'
import { lastError } from './last-error.ts'

test('the last error of a JSON log is what a process died of', () => {
  const lines = [
    { level: 30, msg: 'starts' },
    { level: 60, msg: 'ingest cannot start: port 3001 is in use', err: { message: 'EADDRINUSE' } },
    { level: 30, msg: 'stopped' },
  ]
  expect(lastError(lines.map((line) => JSON.stringify(line)).join('\n'))).toBe(
    'ingest cannot start: port 3001 is in use',
  )
})

test('an uncaught exception gives its own message', () => {
  const line = { level: 60, msg: 'uncaught exception', err: { message: 'no such table' } }
  expect(lastError(`${JSON.stringify(line)}\n`)).toBe('no such table')
})

test('wrong settings are named, not the stack below them', () => {
  const output = [
    'file:///muster/packages/kit/src/config.ts:28',
    'ConfigError: Settings:',
    '  REDIS_URL is not set: should look like redis://host:6379',
    '    at readConfig (file:///muster/packages/kit/src/config.ts:28:9)',
    '',
    'Node.js v22.23.3',
  ].join('\n')
  expect(lastError(output)).toBe('REDIS_URL is not set: should look like redis://host:6379')
})

test('a plain error and a plain log give their sentence', () => {
  expect(lastError("Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'x'\n    at y\n")).toBe("Cannot find module 'x'")
  expect(lastError('12:00:00  error: cannot go on: full disk\n12:00:00  stops\n')).toBe('cannot go on: full disk')
})

test('without an error the last line has to do, and silence stays silence', () => {
  expect(lastError('Segmentation fault\n')).toBe('Segmentation fault')
  expect(lastError('')).toBeUndefined()
})
