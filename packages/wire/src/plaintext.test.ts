import { expect, test } from 'vitest'
import { isExposed } from './plaintext.ts'

test.each([
  'https://muster.example.com',
  'wss://muster.example.com/agent',
  'http://localhost:3000',
  'http://LOCALHOST:3000',
  'http://muster.localhost',
  'ws://127.0.0.1:3001/agent',
  'http://127.9.8.7',
  'http://0x7f.1',
  'http://[::1]:3000',
  'http://[::ffff:127.0.0.1]',
])('%s is accepted', (address) => {
  expect(isExposed(address)).toBe(false)
})

test.each([
  'http://muster.example.com',
  'ws://muster.example.com/agent',
  'http://10.0.0.1',
  'http://0.0.0.0:3000',
  'http://localhost.example.com',
  'http://127.0.0.1.example.com',
  'http://127.0.0.1@example.com',
  'http://[::2]',
  'http://[::ffff:10.0.0.1]',
])('%s is unencrypted', (address) => {
  expect(isExposed(address)).toBe(true)
})
