import { expect, test } from 'vitest'
import { lastError } from './last-error.ts'

test('returns the last error of a JSON log', () => {
  const lines = [
    { level: 30, msg: 'starts' },
    { level: 60, msg: 'ingest cannot start: port 3001 is in use', err: { message: 'EADDRINUSE' } },
    { level: 30, msg: 'stopped' },
  ]
  expect(lastError(lines.map((line) => JSON.stringify(line)).join('\n'))).toBe(
    'ingest cannot start: port 3001 is in use',
  )
})

test('returns the message of an uncaught exception', () => {
  const line = { level: 60, msg: 'uncaught exception', err: { message: 'no such table' } }
  expect(lastError(`${JSON.stringify(line)}\n`)).toBe('no such table')
})

test('returns the invalid setting, not the stack below it', () => {
  const output = [
    'file:///muster/packages/kit/src/config.ts:28',
    'ConfigError: Settings:',
    '  REDIS_URL is not set: must look like redis://host:6379',
    '    at readConfig (file:///muster/packages/kit/src/config.ts:28:9)',
    '',
    'Node.js v22.23.3',
  ].join('\n')
  expect(lastError(output)).toBe('REDIS_URL is not set: must look like redis://host:6379')
})

test('returns the message of a plain error and of a plain log', () => {
  expect(lastError("Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'x'\n    at y\n")).toBe("Cannot find module 'x'")
  expect(lastError('12:00:00  error: cannot go on: full disk\n12:00:00  stops\n')).toBe('cannot go on: full disk')
})

test('returns the last line without an error, and nothing for an empty log', () => {
  expect(lastError('Segmentation fault\n')).toBe('Segmentation fault')
  expect(lastError('')).toBeUndefined()
})
