import { call } from '@muster/testkit/call.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import type { Person } from '@muster/testkit/world.ts'
import { roles } from './roles.contract.ts'

const builtIn = async (who: Person, name: string) =>
  (await call(who, roles.list, {})).data.find((one) => one.name === name)?.id ?? ''

export default stagePart(async ({ world: { partnerAdmin, orgAdmin }, marks }) => {
  const permissions = [{ resource: 'devices' as const, action: 'read' as const }]
  return {
    role: (await call(partnerAdmin, roles.create, { name: `Role ${marks.partner}`, permissions })).id,
    orgRole: (await call(orgAdmin, roles.create, { name: `Role ${marks.organization}`, permissions })).id,
    unusedRole: (await call(partnerAdmin, roles.create, { name: `Unused ${marks.partner}` })).id,
    partnerViewerRole: await builtIn(partnerAdmin, 'Partner Viewer'),
    partnerAdminRole: await builtIn(partnerAdmin, 'Partner Admin'),
    orgViewerRole: await builtIn(orgAdmin, 'Org Viewer'),
    orgAdminRole: await builtIn(orgAdmin, 'Org Admin'),
  }
})
