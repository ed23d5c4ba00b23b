import { expect, test } from 'vitest'
import { ConfigError, readCommandLine } from './config.ts'

const read = (...args: string[]) => readCommandLine(args, '/var/lib/agent', {})

test('flags become settings', () => {
  expect(read('--server', 'https://muster.example.com/', '--key', 'k', '--data-dir', '/tmp/x', '--log-json')).toEqual({
    kind: 'run',
    config: {
      server: 'https://muster.example.com',
      key: 'k',
      dataDirectory: '/tmp/x',
      ingestUrl: undefined,
      proxy: undefined,
      logJson: true,
      trustedRoot: undefined,
      confirmMs: 60_000,
    },
  })
})

test('the data folder has a default, the key may stand in the environment', () => {
  const invocation = readCommandLine([], '/var/lib/agent', { MUSTER_ENROLLMENT_KEY: 'secret' })
  expect(invocation).toMatchObject({ config: { dataDirectory: '/var/lib/agent', key: 'secret' } })
})

test.each([
  [['--server', 'muster.example.com'], /--server should look like https:/],
  [['--ingest', 'https://x'], /--ingest should look like wss:/],
  [['--key', ''], /--key should be an enrolment key/],
  [['--nonsense'], /--nonsense/],
  [['stray'], /stray/],
])('%j is refused by the name of the flag', (args, message) => {
  expect(() => read(...args)).toThrow(ConfigError)
  expect(() => read(...args)).toThrow(message)
})

test('help and version need nothing else', () => {
  expect(read('--help').kind).toBe('help')
  expect(read('--version').kind).toBe('version')
})
