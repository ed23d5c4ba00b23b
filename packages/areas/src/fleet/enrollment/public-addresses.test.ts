import { ConfigError } from '@muster/kit/config.ts'
import { describe, expect, it } from 'vitest'
import { requireEncryptedAddresses } from './public-addresses.ts'

const judge = (people: string, agents: string, isAllowed = false) =>
  requireEncryptedAddresses({ PUBLIC_URL: people, INGEST_PUBLIC_URL: agents, ALLOW_PLAINTEXT: isAllowed })

describe('the public URLs of a service', () => {
  it.each([
    ['https://muster.example.com', 'wss://muster.example.com/agent'],
    ['http://127.0.0.1:3000', 'ws://127.0.0.1:3001/agent'],
    ['http://localhost:3000', 'ws://[::1]:3001/agent'],
  ])('%s and %s are accepted', (people, agents) => {
    expect(() => judge(people, agents)).not.toThrow()
  })

  it.each([
    ['http://muster.example.com', 'wss://muster.example.com/agent', /PUBLIC_URL http:.* Use a https: URL/],
    ['https://muster.example.com', 'ws://muster.example.com/agent', /INGEST_PUBLIC_URL ws:.* Use a wss: URL/],
    ['https://muster.example.com', 'ws://127.0.0.1:3001/agent', /INGEST_PUBLIC_URL ws:.* although PUBLIC_URL https:/],
  ])('%s and %s are rejected at the start unless a setting allows them', (people, agents, message) => {
    expect(() => judge(people, agents)).toThrow(ConfigError)
    expect(() => judge(people, agents)).toThrow(message)
    expect(() => judge(people, agents, true)).not.toThrow()
  })
})
