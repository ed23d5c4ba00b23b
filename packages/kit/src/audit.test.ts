import { describe, expect, it } from 'vitest'
import { changedFields } from './audit.ts'

describe('changedFields', () => {
  it('returns the fields that differ with both values, without timestamps', () => {
    const before = { name: 'A', slug: 'a', updatedAt: '1' }
    expect(changedFields(before, { name: 'B', slug: 'a', updatedAt: '2' })).toEqual({
      name: { before: 'A', after: 'B' },
    })
  })

  it('reports that a secret changed without its value, at any depth', () => {
    const after = { ssoConfig: { clientSecret: 'x', scopes: ['a'], nested: [{ apiKey: 'y' }] }, passwordHash: 'z' }
    expect(changedFields({ ssoConfig: {}, passwordHash: null }, after)).toEqual({
      ssoConfig: {
        before: {},
        after: { clientSecret: '[redacted]', scopes: ['a'], nested: [{ apiKey: '[redacted]' }] },
      },
      passwordHash: { before: null, after: '[redacted]' },
    })
  })
})
