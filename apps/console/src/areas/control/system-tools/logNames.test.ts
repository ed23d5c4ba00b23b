import { expect, test } from 'vitest'
import { logGroups } from './logNames.ts'

const log = (name: string, source: 'journal' | 'file' | 'channel', sizeBytes: number | null = null) => ({
  name,
  source,
  sizeBytes,
})
const labels = (...given: Parameters<typeof logGroups>) => logGroups(...given).map(({ label }) => label)

test('names the logs as the operating system does', () => {
  expect(labels([log('System', 'channel')], 'windows')).toEqual(['Windows event logs'])
  expect(labels([log('unified', 'journal')], 'macos')).toEqual(['Unified log'])
  expect(labels([log('syslog', 'file', 1), log('journal', 'journal')], 'linux')).toEqual([
    'System journal',
    'Log files',
  ])
})

test('shows the size of a log where it is known', () => {
  expect(logGroups([log('syslog', 'file', 2_048), log('auth.log', 'file')], 'linux')[0]?.options).toEqual([
    ['syslog', 'syslog (2.0 kB)'],
    ['auth.log', 'auth.log'],
  ])
})
