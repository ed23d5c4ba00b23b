import { expect, test } from 'vitest'
import { ConfigError, readCommandLine } from './config.ts'

const read = (...args: string[]) => readCommandLine(args, '/var/lib/agent', {})

test('reads flags into settings', () => {
  expect(read('--server', 'https://muster.example.com/', '--key-stdin', '--data-dir', '/tmp/x', '--log-json')).toEqual({
    kind: 'run',
    config: {
      server: 'https://muster.example.com',
      key: undefined,
      keyFromStdin: true,
      dataDirectory: '/tmp/x',
      ingestUrl: undefined,
      proxy: undefined,
      logJson: true,
      allowPlaintext: false,
      trustedRoot: undefined,
      confirmMs: 60_000,
    },
  })
})

test('uses a default data folder, and reads the key from the environment', () => {
  const invocation = readCommandLine([], '/var/lib/agent', { MUSTER_ENROLLMENT_KEY: 'secret' })
  expect(invocation).toMatchObject({ config: { dataDirectory: '/var/lib/agent', key: 'secret' } })
})

test.each([
  [['--server', 'muster.example.com'], /--server must look like https:/],
  [['--ingest', 'https://x'], /--ingest must look like wss:/],
  [['--key', 'K'], /--key is not supported: .* with --key-stdin/],
  [['--key=K'], /--key is not supported/],
  [
    ['--server', 'http://muster.example.com'],
    /--server .* is not encrypted: give its https: address, or add --allow-plain/,
  ],
  [['--ingest', 'ws://10.0.0.1/agent'], /--ingest .* is not encrypted: give its wss: address/],
  [['--nonsense'], /--nonsense/],
  [['stray'], /stray/],
])('refuses %j and names the flag', (args, message) => {
  expect(() => read(...args)).toThrow(ConfigError)
  expect(() => read(...args)).toThrow(message)
})

test('allows plaintext on loopback, and elsewhere only with a flag or setting', () => {
  const server = ['--server', 'http://muster.example.com', '--ingest', 'ws://10.0.0.1/agent']
  expect(read('--server', 'http://localhost:3000', '--ingest', 'ws://127.0.0.1:3001/agent').kind).toBe('run')
  expect(read(...server, '--allow-plaintext')).toMatchObject({ config: { allowPlaintext: true } })
  expect(readCommandLine(server, '/x', { ALLOW_PLAINTEXT: 'true' })).toMatchObject({ config: { allowPlaintext: true } })
  expect(() => readCommandLine(server, '/x', { ALLOW_PLAINTEXT: 'false' })).toThrow(ConfigError)
})

test('accepts help and version alone', () => {
  expect(read('--help').kind).toBe('help')
  expect(read('--version').kind).toBe('version')
})
