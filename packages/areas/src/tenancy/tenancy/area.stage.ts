import { call } from '@muster/testkit/call.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import { organizations } from './organizations/organizations.contract.ts'
import { partners } from './partners/partners.contract.ts'
import { sites } from './sites/sites.contract.ts'

export default stagePart(async ({ world, marks }) => {
  const { partnerAdmin, systemAdmin, partner, org, otherOrg } = world
  await call(systemAdmin, partners.update, { id: partner.id, billingEmail: `${marks.partner}@example.test` })
  await call(partnerAdmin, organizations.update, { id: org.id, name: `Org ${marks.organization}` })
  const settings = { security: { allowedMfaMethods: { sms: false } } }
  await call(partnerAdmin, organizations.update, { id: otherOrg.id, settings })
  const site = await call(partnerAdmin, sites.create, { orgId: org.id, name: `Site ${marks.site}` })
  const otherSite = await call(partnerAdmin, sites.create, { orgId: org.id, name: 'Other site' })
  return { partner: partner.id, org: org.id, otherOrg: otherOrg.id, site: site.id, otherSite: otherSite.id }
})
