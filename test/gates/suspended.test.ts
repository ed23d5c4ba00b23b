// A suspended or churned organization can be read, but nothing in it can be added, changed or commanded. The exceptions
// are listed here: removing access, and changes to what belongs to a person or to the partner.
import { operations } from '@muster/areas/registry.ts'
import { organizations } from '@muster/areas/tenancy/tenancy/organizations/organizations.contract.ts'
import { call } from '@muster/testkit/call.ts'
import { describe, expect, it } from 'vitest'
import { exampleOf } from './example-of.ts'
import { probe } from './probe.ts'
import { buildStage } from './stage.ts'

const { stage, world } = await buildStage()
await call(world.partnerAdmin, organizations.update, { id: stage.org, status: 'suspended' })

const inOrganization = new Set(['organization', 'site', 'device'])
const changing = operations.filter(
  (operation) => operation.endpoint.kind === 'mutation' && inOrganization.has(exampleOf(operation).subject),
)
const stayOpen: Readonly<Record<string, string>> = {
  'alerts.alerts.bulk': 'skips the alerts of the organization, each with the reason',
  'devices.commands.bulk': 'answers for each device, and sends nothing to those of the organization',
  'devices.commands.cancel': 'takes back what was sent before',
  'devices.tags.assign': 'answers for each device, and skips those of the organization',
  'filters.filters.remove': 'belongs to the person who made it',
  'filters.filters.update': 'belongs to the person who made it',
  'scripts.executions.cancel': 'takes back what was sent before',
  'scripts.executions.execute': 'answers for each device, and sends nothing to those of the organization',
  'sso.providers.remove': 'closes a way in',
  'sso.providers.status': 'switches a way in off; switching it on is refused',
  'sso.providers.test': 'changes nothing',
  'sso.providers.unlink': 'closes a way in',
  'sso.scimTokens.revoke': 'closes a way in',
  'sso.scimTokens.rotate': 'locks out a person who has stolen the token',
  'tenancy.organizations.remove': 'is how its partner gets rid of it',
  'tenancy.organizations.update': 'is how its partner makes it active again',
}

describe('in a suspended organization', () => {
  it('changes are rejected, except those listed', async () => {
    const open: string[] = []
    for (const operation of changing) {
      const scope = operation.endpoint.access.scopes.includes('partner') ? 'partner' : 'organization'
      const who = scope === 'partner' ? world.partnerAdmin : world.orgAdmin
      const answer = await probe(operation, who, exampleOf(operation).input(stage, scope))
      expect(answer.failure).toBeNull()
      if (answer.status === 403 && answer.message === 'Organization is suspended') continue
      open.push(operation.id)
      if (stayOpen[operation.id]?.startsWith('answers for each'))
        expect(answer.text).toContain('organization_suspended')
    }
    expect(open.sort()).toEqual(Object.keys(stayOpen).sort())
  })
})
