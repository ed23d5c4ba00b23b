import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { expect, it } from 'vitest'
import { sessions } from './access/auth/sessions/sessions.contract.ts'
import { session } from './access/auth/sign-in/session.contract.ts'
import { openOperatorSession } from './operator-session.ts'
import { partners } from './tenancy/tenancy/partners/partners.contract.ts'

const here = await world()
const services = await testServices()
const open = (email: string) => openOperatorSession(services, email)
const administrator = () => person({ scope: 'system' }, { role: 'System Admin', mfaEnabled: false })

it('acts as an administrator without a second factor, for 15 minutes, and is on record', async () => {
  const root = await administrator()
  const as = { token: await open(root.email.toUpperCase()) }
  expect(await call(as, session.me, {})).toMatchObject({
    id: root.userId,
    scope: 'system',
    mfaEnrollmentRequired: false,
  })
  expect((await call(as, partners.list, {})).data).not.toEqual([])
  const own = (await call(as, sessions.list, {})).data.find(({ current }) => current)
  expect(own).toMatchObject({ method: 'operator', mfa: true, ipAddress: '127.0.0.1' })
  expect(own?.endsAt).toBe(own?.expiresAt)
  expect(Date.parse(own?.endsAt ?? '') - Date.parse(own?.authenticatedAt ?? '')).toBe(15 * 60_000)
  expect(await auditOf(root.userId)).toMatchObject([
    { action: 'user.login', actor_id: root.userId, details: { method: 'operator', mfa: true } },
  ])
})

it('ends when it is ended, and other sessions of the administrator go on', async () => {
  const root = await administrator()
  const as = { token: await open(root.email) }
  const other = { token: await open(root.email) }
  const id = (await call(as, sessions.list, {})).data.find(({ current }) => current)?.id ?? ''
  await call(as, sessions.revoke, { id })
  expect(await refusal(call(as, session.me, {}))).toMatchObject({ status: 401 })
  expect(await call(other, session.me, {})).toMatchObject({ id: root.userId })
})

it('opens only for an active administrator of the installation', async () => {
  const disabled = await administrator()
  await services.system.query(`UPDATE users SET status = 'disabled' WHERE id = $1`, [disabled.userId])
  const unproven = await administrator()
  await services.system.query('UPDATE users SET email_verified_at = NULL WHERE id = $1', [unproven.userId])
  for (const { email } of [here.partnerAdmin, disabled, unproven, { email: 'unknown@example.test' }])
    await expect(open(email)).rejects.toThrow(
      `No active administrator of this installation has the e-mail address ${email}`,
    )
})
