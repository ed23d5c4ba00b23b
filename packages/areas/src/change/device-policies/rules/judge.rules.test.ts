import { describe, expect, it } from 'vitest'
import { type Facts, judge } from './judge.rules.ts'
import { Rule, Rules } from './rules.contract.ts'

const facts: Facts = {
  osVersion: '12.4',
  matches: true,
  answer: null,
  software: [
    { name: 'OpenSSL', version: '3.0.11-1' },
    { name: 'Mozilla Firefox', version: '128.5' },
    { name: 'unversioned' },
  ],
  disks: [
    { mount: '/', totalBytes: 1_000, usedBytes: 900 },
    { mount: '/var', totalBytes: 1_000, usedBytes: 100 },
    { mount: 'C:\\', totalBytes: 1_000, usedBytes: 500 },
    { mount: '/unknown', totalBytes: 1_000 },
  ],
}
const unknown: Facts = { osVersion: null, software: null, disks: null, matches: false, answer: null }
const statusOf = (rule: object, given = facts) => judge(Rule.parse({ key: 'a', ...rule }), given).status

describe('a rule that requires software', () => {
  const required = (software: string, more = {}, given = facts) =>
    statusOf({ type: 'software.required', software, ...more }, given)
  it('is kept by an installed package of that name, in any case', () => {
    expect([required('openssl'), required('openss'), required('firefox')]).toEqual([
      'compliant',
      'non_compliant',
      'non_compliant',
    ])
    expect(required('firefox', { match: 'contains' })).toBe('compliant')
  })
  it('compares versions by their numbers', () => {
    const versions = ['3', '3.0.9', '3.0.11', '3.0.12', '3.1']
    expect(versions.map((minVersion) => required('openssl', { minVersion }))).toEqual([
      'compliant',
      'compliant',
      'compliant',
      'non_compliant',
      'non_compliant',
    ])
    expect(required('unversioned', { minVersion: '1' })).toBe('error')
  })
  it('compares versions of packages as their package manager does', () => {
    const installed = { name: 'openssl', version: '3.0.11-1~deb12u1', source: 'dpkg' }
    const minVersions = ['3.0.11-1~deb12u1', '3.0.11-1~deb12u2', '3.0.11-1']
    expect(
      minVersions.map((minVersion) => required('openssl', { minVersion }, { ...facts, software: [installed] })),
    ).toEqual(['compliant', 'non_compliant', 'non_compliant'])
  })
})

describe('a rule that prohibits software', () => {
  it('is kept while no such package is installed', () => {
    const prohibited = (software: string) => statusOf({ type: 'software.prohibited', software, match: 'contains' })
    expect([prohibited('firefox'), prohibited('telnet')]).toEqual(['non_compliant', 'compliant'])
  })
})

describe('a rule about free space', () => {
  const free = (mount: string, more: object) => statusOf({ type: 'disk.free', mount, ...more })
  it('asks for a share or for bytes', () => {
    expect([free('/', { minPercent: 10 }), free('/', { minPercent: 10.1 })]).toEqual(['compliant', 'non_compliant'])
    expect([free('/', { minBytes: 100 }), free('/', { minBytes: 101 })]).toEqual(['compliant', 'non_compliant'])
  })
  it('finds the file system that holds the path', () => {
    expect([free('/var/lib', { minPercent: 50 }), free('/variable', { minPercent: 50 })]).toEqual([
      'compliant',
      'non_compliant',
    ])
    expect([free('c:', { minPercent: 50 }), free('D:\\', { minPercent: 1 })]).toEqual(['compliant', 'error'])
  })
  it('waits for the figures', () => {
    expect(free('/unknown', { minPercent: 1 })).toBe('pending')
  })
  it('needs either a share or bytes', () => {
    for (const more of [{}, { minPercent: 1, minBytes: 1 }])
      expect(Rule.safeParse({ key: 'a', type: 'disk.free', mount: '/', ...more }).success).toBe(false)
  })
})

describe('a rule about the operating system', () => {
  it('asks for a version', () => {
    const min = (version: string, given = facts) => statusOf({ type: 'os.version', min: version }, given)
    expect([min('12'), min('12.5')]).toEqual(['compliant', 'non_compliant'])
    expect(min('12', { ...facts, osVersion: 'rolling' })).toBe('error')
  })
})

describe('any rule', () => {
  it('is pending until its fact is known', () => {
    for (const rule of [
      { type: 'software.required', software: 'a' },
      { type: 'software.prohibited', software: 'a' },
      { type: 'disk.free', mount: '/', minPercent: 1 },
      { type: 'os.version', min: '1' },
    ])
      expect(statusOf(rule, unknown)).toBe('pending')
  })
  it('says what it expects and what there is', () => {
    const rule = Rule.parse({ key: 'a', type: 'software.required', software: 'OpenSSL', minVersion: '4' })
    expect(judge(rule, facts)).toEqual({
      status: 'non_compliant',
      expected: 'OpenSSL installed, 4 or later',
      actual: 'OpenSSL 3.0.11-1',
    })
  })
  it('has a key of its own in its policy', () => {
    const twice = [1, 2].map(() => ({ key: 'same', type: 'os.version', min: '1' }))
    expect(Rules.safeParse(twice).error?.issues[0]?.path).toEqual([1, 'key'])
  })
})
