import { Rules } from '@muster/areas/change/device-policies/rules/rules.contract.ts'
import { describe, expect, it } from 'vitest'
import { newRuleDraft, ruleDraftOf, ruleOf } from './policyDraft.ts'

const about = {
  ...{ severity: 'high', message: 'Correct it', locked: true },
  remediation: { kind: 'command', type: 'reboot', payload: {} },
}
const rules = Rules.parse(
  [
    { type: 'software.required', software: 'Firefox', match: 'contains', minVersion: '140.1' },
    { type: 'software.prohibited', software: 'VLC', match: 'exact' },
    { type: 'disk.free', mount: '/', minPercent: 12.5 },
    { type: 'disk.free', mount: 'C:\\', minBytes: 5_000_000_001 },
    { type: 'os.version', min: '22.04' },
    { type: 'file', path: '/etc/ssh/sshd_config', setting: { name: 'PermitRootLogin', value: 'no' }, mode: '0600' },
    { type: 'file', path: '/etc/motd', contains: 'Welcome\nhome', owner: 'root' },
    { type: 'file', path: '/etc/passwd', sha256: 'a'.repeat(64) },
    { type: 'file', path: '/etc/old', state: 'absent' },
    { type: 'service', service: 'sshd', state: 'running' },
    { type: 'service', service: 'telnet', startup: 'disabled' },
    { type: 'registry.value', hive: 'HKEY_USERS', path: 'Software\\A', name: 'B', view: '32', value: 7 },
    { type: 'registry.value', hive: 'HKEY_LOCAL_MACHINE', path: 'A', name: 'B', value: ['x', 'y'] },
    { type: 'registry.value', hive: 'HKEY_LOCAL_MACHINE', path: 'A', name: 'B', value: '7' },
    { type: 'registry.value', hive: 'HKEY_LOCAL_MACHINE', path: 'A', name: 'B', state: 'absent' },
    { type: 'firewall' },
    { type: 'encryption' },
    { type: 'filter', filter: { all: [{ field: 'status', op: 'is', value: 'online' }] } },
  ].map((rule, index) => ({ ...about, ...rule, key: `rule-${index}` })),
)

describe('a rule that is edited', () => {
  it.each(rules.map((rule) => [`${rule.type} ${rule.key}`, rule] as const))('stays the same: %s', (_name, rule) => {
    expect(Rules.parse([ruleOf(ruleDraftOf(rule))])).toEqual([rule])
  })

  it('drops the fields of the type before, and keeps the remediation', () => {
    const draft = ruleDraftOf(rules[0] ?? rules[1] ?? expect.fail())
    expect(ruleOf({ ...draft, type: 'firewall' })).toEqual({
      ...{ ...about, key: 'rule-0', type: 'firewall' },
    })
  })

  it('leaves what is wrong to the schema, which names the field', () => {
    const draft = { ...newRuleDraft([]), type: 'disk.free' as const, values: { mount: '/', amount: '' } }
    expect(Rules.safeParse([ruleOf(draft)]).error?.issues[0]?.path).toEqual([0, 'minPercent'])
  })
})
