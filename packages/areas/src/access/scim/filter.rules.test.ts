import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matches, NotAFilter, parseFilter, parsePath } from './filter.rules.ts'

describe('SCIM filters', () => {
  it('are parsed with names and operators in any case', () => {
    expect(parseFilter('userName Eq "a@b.c"')).toEqual({
      kind: 'compare',
      attribute: 'username',
      by: 'eq',
      value: 'a@b.c',
    })
    expect(parseFilter('urn:ietf:params:scim:schemas:core:2.0:User:userName sw "J"')).toMatchObject({
      attribute: 'username',
      by: 'sw',
    })
    expect(parseFilter('title pr')).toEqual({ kind: 'present', attribute: 'title' })
    expect(parseFilter('meta.lastModified gt "2011-05-13T04:42:34Z"')).toMatchObject({ attribute: 'meta.lastmodified' })
    expect(parseFilter('active eq true')).toMatchObject({ value: true })
  })

  it('bind and before or, and parentheses before both', () => {
    expect(parseFilter('a pr or b pr and c pr')).toMatchObject({ kind: 'or', right: { kind: 'and' } })
    expect(parseFilter('(a pr or b pr) and not (c pr)')).toMatchObject({
      kind: 'and',
      left: { kind: 'or' },
      right: { kind: 'not' },
    })
    expect(parseFilter('emails[type eq "work" and value co "@example.com"] or ims pr')).toMatchObject({
      kind: 'or',
      left: { kind: 'some', attribute: 'emails', inner: { kind: 'and' } },
    })
  })

  it('accept strings with quotes, backslashes and characters of any script', () => {
    for (const text of ['\u2028"\\', 'Bücher 𝒳', '\ud800', 'a\nb']) {
      expect(parseFilter(`userName eq ${JSON.stringify(text)}`)).toMatchObject({ value: text })
    }
    const property = fc.property(fc.string({ maxLength: 50 }), (text) => {
      expect(parseFilter(`userName eq ${JSON.stringify(text)}`)).toMatchObject({ value: text })
    })
    fc.assert(property, { numRuns: 200 })
  })

  it.each([
    '',
    'userName',
    'userName eq',
    'userName is "a"',
    '"a" eq userName',
    'userName eq a',
    'userName eq "a',
    '(userName pr',
    'userName pr)',
    'userName pr and',
    'emails[type eq "work"',
    'not userName pr',
    "userName eq 'a'",
    'userName eq "a" "b"',
    `${'('.repeat(60)}a pr${')'.repeat(60)}`,
    'a eq 1; drop table users',
  ])('%j is none', (text) => {
    expect(() => parseFilter(text)).toThrow(NotAFilter)
  })

  it('throw only NotAFilter for arbitrary text', () => {
    const property = fc.property(fc.string({ maxLength: 200 }), (text) => {
      for (const read of [parseFilter, parsePath]) {
        try {
          read(text)
        } catch (error) {
          expect(error).toBeInstanceOf(NotAFilter)
        }
      }
    })
    fc.assert(property, { numRuns: 300 })
  })

  it('match values', () => {
    const email = { value: 'A@b.c', type: 'work', primary: true }
    expect(matches(email, parseFilter('type eq "WORK" and primary eq true'))).toBe(true)
    expect(matches(email, parseFilter('value ew "b.c" and not (type eq "home")'))).toBe(true)
    expect(matches(email, parseFilter('display pr'))).toBe(false)
    expect(matches('plain', parseFilter('value sw "pl"'))).toBe(true)
  })
})

describe('SCIM paths', () => {
  it('name an attribute, a sub-attribute and a filter of values', () => {
    expect(parsePath('active')).toEqual({ attribute: 'active', which: null, part: null })
    expect(parsePath('name.givenName')).toEqual({ attribute: 'name', which: null, part: 'givenname' })
    expect(parsePath('emails[type eq "work"].value')).toMatchObject({ attribute: 'emails', part: 'value' })
    expect(parsePath('members[value eq "x"]')).toMatchObject({ attribute: 'members', part: null })
    const long = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department'
    expect(parsePath(long)).toMatchObject({ attribute: 'department' })
  })
  it.each(['', 'a.b.c', 'a[', 'a]b[', 'a[b pr].c.d', '1a'])('%j is not a path', (text) => {
    expect(() => parsePath(text)).toThrow(NotAFilter)
  })
})
