import { describe, expect, it } from 'vitest'
import { hostOf, hostsAmong, isHostName, KnownHosts } from './known-hosts.ts'

const known = new KnownHosts(
  ['https://Muster.Example.com/console', undefined, 'wss://agents.example.com:8443/agent'],
  ['extra.example.com.'],
)
const knows = (host: string | null, target = '/') => known.knows({ hosts: host === null ? [] : [host], target })

describe('a server answers', () => {
  it.each([
    'muster.example.com',
    'MUSTER.example.COM',
    'muster.example.com.',
    'muster.example.com:443',
    'muster.example.com.:8080',
    'agents.example.com',
    'extra.example.com:1',
    'localhost',
    'localhost:3000',
    'LOCALHOST.',
    'app.localhost:3000',
    '127.0.0.1:3000',
    '10.4.5.6',
    '192.0.2.7:9464',
    '[::1]:3000',
    '[2001:DB8::1]',
    '[::ffff:127.0.0.1]:80',
  ])('to %s', (host) => {
    expect(knows(host)).toBe(true)
    expect(knows('127.0.0.1', `http://${host}/api/v1/health`)).toBe(true)
  })

  it('where there is no Host header, which only HTTP/1.0 leaves out', () => expect(knows(null)).toBe(true))
})

describe('a server does not answer', () => {
  it.each([
    'rebind.attacker.example',
    'rebind.attacker.example:3000',
    'muster.example.com.attacker.example',
    'xmuster.example.com',
    'example.com',
    'localhost.attacker.example',
    '127.0.0.1.attacker.example',
    'user@muster.example.com',
    'muster.example.com@attacker.example',
    'muster.example.com,attacker.example',
    'muster.example.com attacker.example',
    'muster.example.com/',
    'muster.example.com:',
    'muster.example.com:http',
    'muster.example.com..',
    '2130706433',
    '127.1',
    '0x7f.1',
    '[::1',
    '[localhost]',
    '[::1]x',
    '::1',
    '.',
    '',
    'müster.example.com',
    `${'a'.repeat(64)}.example.com`,
  ])('to %s', (host) => {
    expect(knows(host)).toBe(false)
    // A slash ends the authority of a target: what is before it is known.
    if (!host.includes('/')) expect(knows('127.0.0.1', `http://${host}/`)).toBe(false)
    expect(knows(host, 'http://muster.example.com/')).toBe(false)
  })

  it('to two Host headers, even of names that it knows', () => {
    expect(known.knows({ hosts: ['localhost', 'muster.example.com'], target: '/' })).toBe(false)
  })
})

it('a host has one spelling, and a name is neither an address nor has it a port', () => {
  expect([hostOf('A.Example.:80'), hostOf('[::A]:1'), hostOf('a b')]).toEqual(['a.example', '::a', null])
  expect(['a.example', 'A.example.', 'a.example:80', 'http://a', '*.a', ''].map(isHostName)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ])
  expect(hostsAmong(['Accept', 'host', 'HOST', 'a', 'host', 'b'])).toEqual(['a', 'b'])
})
