// Every read, stream and bulk request with an organization filter answers 403 for an organization out of reach. System
// scope, which reaches all organizations, gets 404 for one that no longer exists.
import { randomUUID } from 'node:crypto'
import type { Operation } from '@muster/areas/operation.ts'
import { operations } from '@muster/areas/registry.ts'
import { organizations } from '@muster/areas/tenancy/tenancy/organizations/organizations.contract.ts'
import type { Scope } from '@muster/kit/contract.ts'
import { call } from '@muster/testkit/call.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { exampleOf } from './example-of.ts'
import { probe } from './probe.ts'
import { buildStage } from './stage.ts'

const here = await buildStage()
const elsewhere = await world()
const gone = await world()
await call(gone.partnerAdmin, organizations.remove, { id: gone.org.id })
const { world: mine, stage } = here
const ofPartner = { scope: 'partner', partnerId: mine.partner.id } as const
const selected = await person(ofPartner, { role: 'Partner Admin', orgAccess: 'selected', orgIds: [stage.org] })
const forbidden = { status: 403, message: 'Access to this organization denied' }
const missing = { status: 404, message: 'Organization not found' }

const tries = [
  { name: 'a member', scope: 'organization', who: mine.orgAdmin, orgId: stage.otherOrg, expected: forbidden },
  { name: 'a partner', scope: 'partner', who: mine.partnerAdmin, orgId: elsewhere.org.id, expected: forbidden },
  { name: 'a partner', scope: 'partner', who: mine.partnerAdmin, orgId: randomUUID(), expected: forbidden },
  { name: 'a selection', scope: 'partner', who: selected, orgId: stage.otherOrg, expected: forbidden },
  { name: 'the system', scope: 'system', who: mine.systemAdmin, orgId: randomUUID(), expected: missing },
  { name: 'the system', scope: 'system', who: mine.systemAdmin, orgId: gone.org.id, expected: missing },
] as const

const names = ['orgId', 'organizationId', 'orgIds']
const takenBy = ({ endpoint: { input } }: Operation): string[] =>
  input instanceof z.ZodObject ? names.filter((name) => name in input.shape) : []
/** Reads and streams without a path parameter, and the bulk request, which selects devices like a list. */
const filtered = operations
  .filter(({ id, endpoint: { kind, path, access } }) => {
    const chooses = kind !== 'mutation' || id === 'commands.commands.bulk'
    return chooses && access.who !== 'public' && !path.includes('/:')
  })
  .flatMap((operation) => takenBy(operation).map((field) => ({ id: operation.id, field, operation })))

describe.each(filtered)('$id by $field', ({ operation, field }) => {
  const inputFor = (scope: Scope, orgId: string) => {
    const { partnerId: _, ...input } = Object(exampleOf(operation).input(stage, scope))
    const reachable = scope === 'organization' ? [] : [stage.org]
    return { ...input, [field]: field === 'orgIds' ? [...reachable, orgId] : orgId }
  }

  it('rejects an organization out of reach, and accepts one in reach', async () => {
    const open = tries.filter(({ scope }) => operation.endpoint.access.scopes.includes(scope))
    for (const { who, scope, orgId, expected, name } of open) {
      const { status, message } = await probe(operation, who, inputFor(scope, orgId))
      expect({ name, status, message }).toEqual({ name, ...expected })
    }
    // Some lists exist only for whole partners.
    const own = await probe(operation, mine.partnerAdmin, inputFor('partner', stage.org))
    if (operation.endpoint.access.scopes.includes('partner')) expect(own.status).toBeLessThan(400)
  })
})

it('covers devices, their events and bulk commands', () => {
  const byList = filtered.filter(({ field }) => field === 'orgIds').map(({ id }) => id)
  expect(byList).toEqual(expect.arrayContaining(['devices.devices.list', 'devices.live.events']))
})

it('covers many operations', () => {
  expect(filtered.length).toBeGreaterThan(15)
})
