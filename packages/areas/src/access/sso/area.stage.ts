import { call } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import usersStage from '../users/area.stage.ts'
import { providers, scimTokens } from './providers/providers.contract.ts'

/** The mark is not in the provider's name, which everyone can read who wants to sign in. */
export default stagePart(async (setting) => {
  const { world, marks } = setting
  const { system } = await testServices()
  const { orgUser } = await usersStage(setting)
  const given = { orgId: world.org.id, name: 'Sign in here', issuer: 'https://127.0.0.1', clientId: marks.organization }
  const { id, partnerId } = await call(world.partnerAdmin, providers.create, given)
  await call(world.partnerAdmin, providers.status, { id, status: 'active' })
  const { token } = await call(world.partnerAdmin, scimTokens.rotate, { id })
  const { rows } = await system.query<{ id: string }>(
    `INSERT INTO sso_identities (provider_id, org_id, partner_id, user_id, issuer, subject, email)
     VALUES ($1, $2, $3, $4, 'https://127.0.0.1', $5, $6) RETURNING id`,
    [id, world.org.id, partnerId, orgUser, marks.organization, `${marks.organization}@example.test`],
  )
  return { ssoProvider: id, ssoIdentity: rows[0]?.id ?? '', scimToken: token }
})
