import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { browser, ownAddress, signedInLongAgo, withPassword, withRecoveryCode } from '@muster/testkit/credentials.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { sites } from '../../../tenancy/tenancy/sites/sites.contract.ts'
import { keys as apiKeys } from '../../api-keys/keys.contract.ts'
import { session } from '../sign-in/session.contract.ts'
import { sessions } from './sessions.contract.ts'

const here = await world()
const { system } = await testServices()

async function technician() {
  const tenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
  return withPassword(await person(tenant, { role: 'Org Technician', mfaEnabled: false }))
}
async function signIn(who: { email: string; password: string }, ip = ownAddress()) {
  const tokens = await call(null, session.login, { email: who.email, password: who.password }, { ip })
  if (tokens.mfaRequired) throw new Error('unexpected request for a second factor')
  return { ...tokens, token: tokens.accessToken, ip }
}

describe('the list of sessions', () => {
  it('shows the open sessions of the caller with address and client, and marks the current one', async () => {
    const who = await technician()
    await system.query('DELETE FROM sessions WHERE user_id = $1', [who.userId])
    const [one, two] = [await signIn(who), await signIn(who)]
    const { data } = await call(two, sessions.list, {})
    expect(data).toMatchObject([
      { current: true, ipAddress: two.ip, method: 'password', mfa: false, userAgent: 'test' },
      { current: false, ipAddress: one.ip },
    ])
    expect(JSON.stringify(data)).not.toMatch(/token|hash/i)
  })

  it('neither shows nor ends sessions of other users', async () => {
    const [mine, theirs] = [await signIn(await technician()), await signIn(await technician())]
    const [other] = (await call(theirs, sessions.list, {})).data
    const ids = (await call(mine, sessions.list, {})).data.map(({ id }) => id)
    expect(ids).not.toContain(other?.id)
    // An administrator sees the user, but cannot end the user's sessions with this operation.
    for (const who of [mine, here.orgAdmin, here.partnerAdmin]) {
      expect(await refusal(call(who, sessions.revoke, { id: other?.id ?? '' }))).toMatchObject({ status: 404 })
    }
    await call(theirs, session.me, {})
  })
})

describe('ending sessions', () => {
  it('ends one session with its access and refresh tokens', async () => {
    const who = await technician()
    const [one, two] = [await signIn(who), await signIn(who)]
    const lost = (await call(two, sessions.list, {})).data.find(({ ipAddress }) => ipAddress === one.ip)
    await call(two, sessions.revoke, { id: lost?.id ?? '' })
    expect(await refusal(call(one, session.me, {}))).toMatchObject({ status: 401 })
    expect(await refusal(call(null, session.refresh, { refreshToken: one.refreshToken }))).toMatchObject({
      status: 401,
    })
    await call(two, session.me, {})
    expect((await auditOf(who.userId)).at(-1)).toMatchObject({ action: 'user.session.revoke' })
  })

  it('ends all other sessions at once', async () => {
    const who = await technician()
    await system.query('DELETE FROM sessions WHERE user_id = $1', [who.userId])
    const [one, two, three] = [await signIn(who), await signIn(who), await signIn(who)]
    expect(await call(three, sessions.revokeOthers, {})).toEqual({ success: true, ended: 2 })
    for (const ended of [one, two]) expect(await refusal(call(ended, session.me, {}))).toMatchObject({ status: 401 })
    await call(three, session.me, {})
  })
})

describe('signing in', () => {
  it('replaces the session that the browser had', async () => {
    const who = await technician()
    const window = browser()
    const inBrowser = { ip: ownAddress(), cookies: window.cookies, reply: window.reply }
    const first = await call(null, session.login, { email: who.email, password: who.password }, inBrowser)
    const elsewhere = await signIn(who)
    const second = await call(null, session.login, { email: who.email, password: who.password }, inBrowser)
    if (first.mfaRequired || second.mfaRequired) throw new Error('unexpected request for a second factor')
    expect(await refusal(call({ token: first.accessToken }, session.me, {}))).toMatchObject({ status: 401 })
    expect(await refusal(call(null, session.refresh, { refreshToken: first.refreshToken }))).toMatchObject({
      status: 401,
    })
    for (const token of [elsewhere.token, second.accessToken]) await call({ token }, session.me, {})
    expect((await auditOf(who.userId)).at(-1)).toMatchObject({ action: 'user.login', details: { replaced: true } })
  })

  it('ends the least recently used session beyond a hundred', async () => {
    const who = await technician()
    await system.query('DELETE FROM sessions WHERE user_id = $1', [who.userId])
    const [oldest, used] = [await signIn(who), await signIn(who)]
    await system.query(
      `INSERT INTO sessions (user_id, token_hash, expires_at, last_used_at)
       SELECT $1, gen_random_uuid(), now() + interval '1 day', now() FROM generate_series(1, 98)`,
      [who.userId],
    )
    await system.query(`UPDATE sessions SET last_used_at = now() + interval '1 minute' WHERE id = $1`, [
      (await call(used, sessions.list, {})).data.find(({ current }) => current)?.id,
    ])
    await signIn(who)
    expect(await refusal(call(oldest, session.me, {}))).toMatchObject({ status: 401 })
    expect((await call(used, sessions.list, {})).data).toHaveLength(100)
  })
})

describe('ending sessions some time after signing in', () => {
  it('requires the password, so that a stolen token cannot sign its owner out', async () => {
    const who = await technician()
    const mine = await signIn(who)
    await system.query(`UPDATE sessions SET authenticated_at = now() - interval '31 minutes' WHERE user_id = $1`, [
      who.userId,
    ])
    const [other] = (await call(mine, sessions.list, {})).data.filter(({ current }) => !current)
    for (const ending of [
      (more: object) => call(mine, sessions.revoke, { id: other?.id ?? '', ...more }),
      (more: object) => call(mine, sessions.revokeOthers, more),
    ]) {
      expect(await refusal(ending({}))).toMatchObject({ status: 403, extra: { confirm: 'currentPassword' } })
      expect(await refusal(ending({ currentPassword: 'wrong' }))).toMatchObject({ status: 403 })
      expect(await ending({ currentPassword: who.password })).toMatchObject({ success: true })
    }
  })
})

describe('signing out everywhere', () => {
  it('revokes the API keys of the user unless they are kept; a logout does not', async () => {
    const who = await withPassword(here.partnerAdmin)
    const made = () => call(who, apiKeys.create, { name: 'Script', scopes: ['sites:read'] })
    const works = ({ key }: { key: string }) =>
      call(null, sites.list, {}, { headers: { 'x-api-key': key } }).then(
        () => true,
        () => false,
      )
    const [kept, lost] = [await made(), await made()]
    await call(who, sessions.revokeOthers, { keepApiKeys: true })
    expect(await works(kept)).toBe(true)
    await call(who, sessions.revokeOthers, {})
    expect([await works(kept), await works(lost)]).toEqual([false, false])
    const after = await made()
    await call(who, session.logout, {})
    expect(await works(after)).toBe(true)
  })
})

describe('confirming a session', () => {
  it('requires all missing factors, and only then makes an old session fresh', async () => {
    const who = await withPassword(
      await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Admin' }),
    )
    const ending = () => call(who, sessions.revokeOthers, {})
    await signedInLongAgo(who)
    expect(await refusal(ending())).toMatchObject({
      status: 403,
      extra: { confirm: 'currentPassword', confirmFields: ['currentPassword', 'code'] },
    })
    const { password: currentPassword } = who
    const code = await withRecoveryCode(who)
    for (const part of [{ currentPassword }, { code }]) {
      expect(await refusal(call(who, sessions.confirm, part))).toMatchObject({ status: 403 })
    }
    expect(await refusal(ending())).toMatchObject({ status: 403 })
    await call(who, sessions.confirm, { currentPassword, code })
    expect(await ending()).toMatchObject({ success: true })
  })

  it('does not renew a fresh session', async () => {
    const who = await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Admin' })
    await system.query(`UPDATE sessions SET authenticated_at = now() - interval '29 minutes' WHERE id = $1`, [
      who.sessionId,
    ])
    await call(who, sessions.confirm, {})
    const { rows } = await system.query(
      `SELECT authenticated_at < now() - interval '28 minutes' AS old FROM sessions WHERE id = $1`,
      [who.sessionId],
    )
    expect(rows).toEqual([{ old: true }])
  })
})

describe('a member of several tenants', () => {
  it('can list the tenants and switch to another one', async () => {
    const who = await technician()
    await system.query(
      `INSERT INTO organization_users (org_id, partner_id, user_id, role_id)
       SELECT $1, $2, $3, id FROM roles WHERE is_system AND name = 'Org Viewer'`,
      [here.otherOrg.id, here.partner.id, who.userId],
    )
    const tokens = await signIn(who)
    const { data } = await call(tokens, sessions.memberships, {})
    expect(data).toMatchObject([
      { orgName: here.org.name, roleName: 'Org Technician', current: true },
      { orgName: here.otherOrg.name, roleName: 'Org Viewer', current: false },
    ])
    const place = { scope: 'organization', partnerId: here.partner.id, orgId: here.otherOrg.id } as const
    const switched = await call(tokens, sessions.switch, place)
    const there = { token: switched.accessToken }
    expect(await call(there, session.me, {})).toMatchObject({ orgId: here.otherOrg.id })
    expect((await call(there, sites.list, {})).data).toEqual([])
    const next = await call(null, session.refresh, { refreshToken: tokens.refreshToken })
    expect(next.user.orgId).toBe(here.otherOrg.id)
  })

  it('cannot switch to a tenant without being a member', async () => {
    const tokens = await signIn(await technician())
    const elsewhere = await world()
    for (const place of [
      { scope: 'system' },
      { scope: 'partner', partnerId: here.partner.id },
      { scope: 'organization', partnerId: elsewhere.partner.id, orgId: elsewhere.org.id },
    ] as const) {
      expect(await refusal(call(tokens, sessions.switch, place))).toMatchObject({ status: 404 })
    }
  })
})
