import { call } from '@muster/testkit/call.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import { person } from '@muster/testkit/world.ts'
import rolesStage from '../roles/area.stage.ts'
import { invitations } from './invitations/invitations.contract.ts'
import { users } from './users.contract.ts'

export default stagePart(async (setting) => {
  const { world, marks } = setting
  const { partnerAdmin, partner, org } = world
  const { role, partnerAdminRole, partnerViewerRole } = await rolesStage(setting)
  const ofPartner = { scope: 'partner', partnerId: partner.id } as const
  const user = await person(ofPartner, { role: 'Partner Viewer' })
  await call(partnerAdmin, users.update, { id: user.userId, name: `User ${marks.partner}` })
  await call(partnerAdmin, users.role, { id: user.userId, roleId: role })
  const ofOrg = { scope: 'organization', partnerId: partner.id, orgId: org.id } as const
  const orgUser = await person(ofOrg, { role: 'Org Viewer' })
  await call(partnerAdmin, users.update, { id: orgUser.userId, orgId: org.id, name: `User ${marks.organization}` })
  const invite = (domain: string, roleId: string) =>
    call(partnerAdmin, invitations.invite, { email: `${marks.partner}@${domain}.test`, name: 'Invited', roleId })
  return {
    user: user.userId,
    orgUser: orgUser.userId,
    administrator: (await person(ofPartner, { role: 'Partner Admin' })).userId,
    invitedUser: (await invite('guest', partnerViewerRole)).id,
    invitedAdministrator: (await invite('admin', partnerAdminRole)).id,
  }
})
