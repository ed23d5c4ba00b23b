import { describe, expect, it } from 'vitest'
import { applyPatch, BadPatch } from './patch.rules.ts'

const user = {
  userName: 'ada',
  active: true,
  name: { formatted: 'Ada L', givenName: 'Ada' },
  emails: [{ value: 'ada@example.test', type: 'work', primary: true }],
}
const group = { displayName: 'Staff', members: [{ value: 'a' }, { value: 'b' }] }
const patched = (resource: object, op: string, path?: string, value?: unknown) =>
  applyPatch({ ...resource }, [{ op, path, value }])

describe('SCIM patches', () => {
  it('do not change their input', () => {
    const before = structuredClone(user)
    patched(user, 'replace', 'name.givenName', 'Augusta')
    expect(user).toEqual(before)
  })

  it('replace as Entra ID sends them: capital letters, booleans as text, value filters', () => {
    expect(patched(user, 'Replace', 'active', 'False')).toMatchObject({ active: 'False' })
    expect(patched(user, 'Replace', 'emails[type eq "work"].value', 'new@example.test')).toMatchObject({
      emails: [{ value: 'new@example.test', type: 'work', primary: true }],
    })
    expect(patched({ userName: 'ada' }, 'Add', 'emails[type eq "work"].value', 'x@example.test')).toMatchObject({
      emails: [{ type: 'work', value: 'x@example.test' }],
    })
    expect(patched(user, 'Replace', undefined, { 'name.givenName': 'Augusta', displayName: 'Augusta' })).toMatchObject({
      name: { givenName: 'Augusta', formatted: 'Ada L' },
      displayname: 'Augusta',
    })
  })

  it('replace as Okta sends them: objects without a path', () => {
    expect(patched(user, 'replace', undefined, { active: false })).toMatchObject({ active: false, userName: 'ada' })
    expect(patched(user, 'replace', undefined, { name: { familyName: 'King' } })).toMatchObject({
      name: { givenName: 'Ada', familyname: 'King' },
    })
  })

  it('add and remove members, once each', () => {
    expect(patched(group, 'add', 'members', [{ value: 'b' }, { value: 'c' }]).members).toEqual([
      { value: 'a' },
      { value: 'b' },
      { value: 'c' },
    ])
    expect(patched(group, 'remove', 'members[value eq "a"]').members).toEqual([{ value: 'b' }])
    expect(patched(group, 'Remove', 'members', [{ value: 'b' }]).members).toEqual([{ value: 'a' }])
    expect(patched(group, 'remove', 'members')).not.toHaveProperty('members')
    expect(patched(group, 'replace', 'members', [{ value: 'z' }]).members).toEqual([{ value: 'z' }])
  })

  it('apply operations in order', () => {
    const operations = [
      { op: 'remove', path: 'members[value eq "a"]' },
      { op: 'add', path: 'members', value: [{ value: 'a' }] },
    ]
    expect(applyPatch({ ...group }, operations).members).toEqual([{ value: 'b' }, { value: 'a' }])
  })

  it.each([
    ['move', 'active', true, 'invalidSyntax'],
    ['remove', undefined, undefined, 'noTarget'],
    ['replace', undefined, 'text', 'invalidValue'],
    ['replace', 'a..b', 1, 'invalidPath'],
    ['replace', 'emails[', 1, 'invalidPath'],
  ])('reject %s at %s', (op, path, value, scimType) => {
    expect(() => patched(user, op, path, value)).toThrow(BadPatch)
    try {
      patched(user, op, path, value)
    } catch (error) {
      expect(error).toMatchObject({ scimType })
    }
  })

  it('do not reach prototypes', () => {
    const evil = [
      '{"__proto__": {"polluted": 1}}',
      '{"constructor.prototype": {"polluted": 1}}',
      '{"name.__proto__": {"polluted": 1}}',
    ]
    for (const text of evil) {
      try {
        applyPatch({ name: {} }, [{ op: 'add', value: JSON.parse(text) }])
      } catch (error) {
        expect(error).toBeInstanceOf(BadPatch)
      }
    }
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })
})
