import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { chainHash, noHash } from './canonical.ts'

it('produces the hashes that docs/audit.md gives to verifiers', () => {
  const record = {
    sequence: 1,
    id: '0b5f3f0e-7c3e-4c1e-9d43-0a1b2c3d4e5f',
    at: '2026-01-31T09:00:00.123456Z',
    partnerId: '6f1c2d3e-4a5b-4c6d-8e7f-9a0b1c2d3e4f',
    orgId: null,
    actorType: 'user',
    actorId: '11111111-2222-4333-8444-555555555555',
    actorEmail: 'ana@example.com',
    action: 'site.update',
    resourceType: 'site',
    resourceId: '99999999-8888-4777-8666-555555555555',
    resourceName: 'Zürich "HQ"',
    result: 'success',
    details: { b: [1.5, null], a: 'line\nbreak', 10: true, 9: false },
    changedFields: ['name'],
    ipAddress: '192.0.2.1',
    userAgent: null,
    requestId: 'req-1',
  }
  const first = chainHash(noHash, record)
  const second = chainHash(first, { ...record, sequence: 2 })
  expect(first.toString('hex')).toBe('08c6b1131d66042cbeaeac4db0b5a9e3f847b45d9470f39a784d954765b2996f')
  const document = readFileSync(new URL('../../../../../../docs/audit.md', import.meta.url), 'utf8')
  for (const hash of [first, second]) expect(document).toContain(hash.toString('hex'))
})
