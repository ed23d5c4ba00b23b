import type { FactValue } from '@muster/wire/facts/facts.ts'
import { describe, expect, it } from 'vitest'
import { factOf, isFactRule } from './fact-rules.rules.ts'
import { judge } from './judge.rules.ts'
import { Rule } from './rules.contract.ts'

const nothing = { osVersion: null, software: null, disks: null, matches: false }
const ruleOf = (rule: object) => Rule.parse({ key: 'a', ...rule })
const judged = (rule: object, value: FactValue) => judge(ruleOf(rule), { ...nothing, answer: { value, error: null } })
const statusOf = (rule: object, value: FactValue) => judged(rule, value).status
const isValid = (rule: object) => Rule.safeParse({ key: 'a', ...rule }).success

describe('a rule about a file', () => {
  const file = (more: object = {}) => ({ type: 'file', path: '/etc/ssh/sshd_config', ...more })
  const found = (more: object = {}): FactValue => ({
    ...{ type: 'file', kind: 'file', mode: '0640', owner: 'root', group: 'root' },
    ...more,
  })
  const absent: FactValue = { type: 'file', kind: 'absent' }

  it('asks for its presence or absence', () => {
    expect([statusOf(file(), found()), statusOf(file(), absent)]).toEqual(['compliant', 'non_compliant'])
    const gone = file({ state: 'absent' })
    expect([statusOf(gone, found()), statusOf(gone, absent)]).toEqual(['non_compliant', 'compliant'])
  })

  it('asks for a text, a setting or a hash', () => {
    const text = file({ contains: 'no' })
    expect([statusOf(text, found({ contains: true })), statusOf(text, found({ contains: false }))]).toEqual([
      'compliant',
      'non_compliant',
    ])
    const login = file({ setting: { name: 'PermitRootLogin', value: 'no' } })
    const withSettings = (...settings: string[]) => judged(login, found({ settings }))
    expect(withSettings('no').status).toBe('compliant')
    expect(withSettings('no', 'yes')).toEqual({
      status: 'non_compliant',
      expected: '/etc/ssh/sshd_config with PermitRootLogin no',
      actual: 'PermitRootLogin is no, yes',
    })
    expect(withSettings()).toMatchObject({ status: 'non_compliant', actual: 'PermitRootLogin is not set' })
    const hash = file({ sha256: 'a'.repeat(64) })
    expect(statusOf(hash, found({ sha256: 'a'.repeat(64) }))).toBe('compliant')
    expect(statusOf(hash, found({ sha256: 'b'.repeat(64) }))).toBe('non_compliant')
    expect(judged(text, { type: 'file', kind: 'folder' }).actual).toBe('a folder, not a file')
  })

  it('asks for a mode and an owner', () => {
    expect(statusOf(file({ mode: '640', owner: 'root' }), found())).toBe('compliant')
    expect(judged(file({ mode: '600', owner: 'ann' }), found())).toMatchObject({
      status: 'non_compliant',
      actual: 'mode 0640, owner root',
    })
    expect(statusOf(file({ mode: '600' }), { type: 'file', kind: 'file' })).toBe('error')
  })

  it('asks the device for nothing of what it expects', () => {
    const rule = ruleOf(file({ setting: { name: 'PermitRootLogin', value: 'no' }, mode: '600', owner: 'root' }))
    expect(isFactRule(rule) && factOf(rule)).toEqual({
      ...{ type: 'file', path: '/etc/ssh/sshd_config', setting: 'PermitRootLogin' },
    })
  })

  it('takes absolute paths and one kind of content', () => {
    for (const path of ['etc/passwd', '/etc/../root', '/a\n', '\\\\server\\share', ''])
      expect(isValid(file({ path }))).toBe(false)
    expect(isValid(file({ path: 'C:\\Windows\\win.ini' }))).toBe(true)
    expect(isValid(file({ contains: 'a', sha256: 'a'.repeat(64) }))).toBe(false)
    expect(isValid(file({ state: 'absent', mode: '600' }))).toBe(false)
    expect(isValid(file({ mode: '999' }))).toBe(false)
  })
})

describe('a rule about a service', () => {
  const service = (more: object) => ({ type: 'service', service: 'ssh', ...more })
  const running: FactValue = { type: 'service', state: 'running', startup: 'automatic', detail: 'running, enabled' }
  it('asks for its state and its start', () => {
    expect(statusOf(service({ state: 'running', startup: 'automatic' }), running)).toBe('compliant')
    expect(judged(service({ state: 'stopped' }), running)).toMatchObject({
      ...{ status: 'non_compliant', expected: 'ssh stopped', actual: 'running, enabled' },
    })
    expect(statusOf(service({ startup: 'disabled' }), running)).toBe('non_compliant')
    expect(statusOf(service({ startup: 'disabled' }), { type: 'service', state: 'stopped' })).toBe('error')
  })
  it('takes an absent service for a stopped one', () => {
    const absent: FactValue = { type: 'service', state: 'absent' }
    expect(statusOf(service({ state: 'running' }), absent)).toBe('non_compliant')
    expect(statusOf(service({ state: 'stopped', startup: 'disabled' }), absent)).toBe('compliant')
  })
  it('needs a state or a start', () => {
    expect(isValid(service({}))).toBe(false)
  })
})

describe('a rule about the registry', () => {
  const value = (more: object = {}) => ({
    ...{ type: 'registry.value', hive: 'HKEY_LOCAL_MACHINE', path: 'SOFTWARE\\App', name: 'On', ...more },
  })
  const one: FactValue = { type: 'registry', present: true, valueType: 'REG_DWORD', data: 1 }
  const absent: FactValue = { type: 'registry', present: false }
  it('asks for a value, its presence or its absence', () => {
    expect([statusOf(value({ value: 1 }), one), statusOf(value({ value: 2 }), one)]).toEqual([
      'compliant',
      'non_compliant',
    ])
    expect([statusOf(value(), one), statusOf(value(), absent)]).toEqual(['compliant', 'non_compliant'])
    const gone = value({ state: 'absent' })
    expect([statusOf(gone, one), statusOf(gone, absent)]).toEqual(['non_compliant', 'compliant'])
    expect(isValid(value({ state: 'absent', value: 1 }))).toBe(false)
  })
})

describe('rules about protections', () => {
  it('ask for a firewall that is on and an encrypted volume', () => {
    expect(statusOf({ type: 'firewall' }, { type: 'firewall', on: true })).toBe('compliant')
    expect(judged({ type: 'firewall' }, { type: 'firewall', on: false, detail: 'IPv6 is open' })).toMatchObject({
      ...{ status: 'non_compliant', expected: 'a firewall that is on', actual: 'off, IPv6 is open' },
    })
    const encrypted = (state: 'on' | 'encrypting' | 'suspended') =>
      statusOf({ type: 'encryption' }, { type: 'encryption', state })
    expect([encrypted('on'), encrypted('encrypting'), encrypted('suspended')]).toEqual([
      'compliant',
      'non_compliant',
      'non_compliant',
    ])
  })
})

describe('any rule about a fact', () => {
  it('is pending until the device answered, and an error when it cannot', () => {
    const rule = ruleOf({ type: 'firewall' })
    expect(judge(rule, { ...nothing, answer: null }).status).toBe('pending')
    expect(judge(rule, { ...nothing, answer: { value: null, error: 'NOT_PERMITTED: nft' } })).toMatchObject({
      ...{ status: 'error', actual: 'NOT_PERMITTED: nft' },
    })
  })
})
