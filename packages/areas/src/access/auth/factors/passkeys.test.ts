import { auditOf } from '@muster/testkit/audit.ts'
import { Authenticator } from '@muster/testkit/authenticator.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { ownAddress, withPassword } from '@muster/testkit/credentials.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { sites } from '../../../tenancy/tenancy/sites/sites.contract.ts'
import { session } from '../sign-in/session.contract.ts'
import { mfa } from './mfa.contract.ts'
import { passkeys } from './passkeys.contract.ts'

const here = await world()
const { system } = await testServices()
// The test server has an IP address, where passkeys work only as `localhost`.
const device = () => new Authenticator('http://localhost:3000', 'localhost')

async function signedIn() {
  const tenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
  const who = await withPassword(await person(tenant, { role: 'Org Technician', mfaEnabled: false }))
  const tokens = await call(null, session.login, { email: who.email, password: who.password }, { ip: ownAddress() })
  if (tokens.mfaRequired) throw new Error('unexpected request for a second factor')
  return { ...who, token: tokens.accessToken }
}
async function withPasskey(authenticator = device()) {
  const who = await signedIn()
  const options = await call(who, passkeys.registrationOptions, {})
  const added = await call(who, passkeys.add, { name: 'Laptop', passkey: authenticator.create(options) })
  return { ...who, authenticator, added }
}
const begin = () => call(null, passkeys.loginOptions, {}, { ip: ownAddress() })
const refused = { status: 401, message: 'Invalid email or password' }

describe('adding a passkey', () => {
  it('enables it as the second factor and returns recovery codes the first time', async () => {
    const who = await withPasskey()
    expect(who.added).toMatchObject({ name: 'Laptop', recoveryCodes: expect.arrayContaining([expect.any(String)]) })
    expect(await call(who, session.me, {})).toMatchObject({ passkeys: 1, recoveryCodesLeft: 10, mfaEnabled: false })
    expect((await call(who, passkeys.list, {})).data).toMatchObject([{ id: who.added.id, name: 'Laptop' }])
    expect(await auditOf(who.added.id)).toMatchObject([{ action: 'auth.passkey.create', actor_id: who.userId }])
    const options = await call(who, passkeys.registrationOptions, {})
    const second = await call(who, passkeys.add, { passkey: device().create(options) })
    expect(second.recoveryCodes).toBeNull()
  })

  it('accepts only an answer to its own challenge, from a page of Muster, once', async () => {
    const who = await signedIn()
    const wrong = { status: 400 }
    const add = (passkey: ReturnType<Authenticator['create']>) => call(who, passkeys.add, { passkey })
    expect(await refusal(add(device().create({ challenge: 'bWFkZSB1cA' })))).toMatchObject(wrong)
    await call(who, passkeys.registrationOptions, {})
    expect(await refusal(add(device().create({ challenge: 'bWFkZSB1cA' })))).toMatchObject(wrong)
    for (const stranger of [
      new Authenticator('https://evil.example', 'localhost'),
      new Authenticator('http://localhost:3000', 'evil.example'),
    ]) {
      const options = await call(who, passkeys.registrationOptions, {})
      expect(await refusal(add(stranger.create(options)))).toMatchObject(wrong)
    }
    const options = await call(who, passkeys.registrationOptions, {})
    const answer = device().create(options)
    await add(answer)
    expect(await refusal(add(answer))).toMatchObject(wrong)
  })
})

describe('a passkey as the second factor', () => {
  it('completes a sign-in that began with the password', async () => {
    const who = await withPasskey()
    const begun = await call(null, session.login, { email: who.email, password: who.password }, { ip: ownAddress() })
    if (!begun.mfaRequired || begun.passkeyOptions === null) throw new Error('missing request for a passkey')
    expect(begun.methods).toEqual(['passkey', 'recovery'])
    const passkey = who.authenticator.get(begun.passkeyOptions)
    const tokens = await call(null, mfa.verify, { tempToken: begun.tempToken, passkey })
    if (!('refreshToken' in tokens)) throw new Error('no tokens')
    expect((await auditOf(who.userId)).at(-1)).toMatchObject({ details: { method: 'passkey', mfa: true } })
    expect(await refusal(call(null, mfa.verify, { tempToken: begun.tempToken, passkey }))).toMatchObject({
      status: 401,
    })
  })

  it('is rejected when it belongs to another user or answers another challenge', async () => {
    const who = await withPasskey()
    const other = await withPasskey()
    const begun = await call(null, session.login, { email: who.email, password: who.password }, { ip: ownAddress() })
    if (!begun.mfaRequired || begun.passkeyOptions === null) throw new Error('missing request for a passkey')
    const { tempToken } = begun
    for (const passkey of [
      other.authenticator.get(begun.passkeyOptions),
      who.authenticator.get({ challenge: 'bWFkZSB1cA' }),
    ]) {
      expect(await refusal(call(null, mfa.verify, { tempToken, passkey }))).toMatchObject({ status: 401 })
    }
  })

  it('satisfies forced MFA', async () => {
    const admin = await withPassword(
      await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Admin', mfaEnabled: false }),
    )
    const tokens = await call(
      null,
      session.login,
      { email: admin.email, password: admin.password },
      { ip: ownAddress() },
    )
    if (tokens.mfaRequired) throw new Error('unexpected')
    const who = { token: tokens.accessToken }
    expect(await refusal(call(who, sites.list, {}))).toMatchObject({ status: 428 })
    const options = await call(who, passkeys.registrationOptions, {})
    await call(who, passkeys.add, { passkey: device().create(options) })
    await call(who, sites.list, {})
  })
})

describe('a passkey without a password', () => {
  it('signs in with both factors at once', async () => {
    const who = await withPasskey()
    const { challengeToken, options } = await begin()
    const tokens = await call(null, passkeys.login, { challengeToken, passkey: who.authenticator.get(options) })
    expect(tokens).toMatchObject({ mfaRequired: false, user: { id: who.userId } })
    expect(await call({ token: tokens.accessToken }, session.me, {})).toMatchObject({ email: who.email })
  })

  it('requires a device that verifies the user', async () => {
    const who = await withPasskey()
    who.authenticator.verifies = false
    const { challengeToken, options } = await begin()
    const answer = { challengeToken, passkey: who.authenticator.get(options) }
    expect(await refusal(call(null, passkeys.login, answer))).toMatchObject(refused)
  })

  it('accepts each challenge and each answer once', async () => {
    const who = await withPasskey()
    const { challengeToken, options } = await begin()
    const answer = { challengeToken, passkey: who.authenticator.get(options) }
    await call(null, passkeys.login, answer)
    expect(await refusal(call(null, passkeys.login, answer))).toMatchObject({ status: 401 })
    const again = await begin()
    expect(
      await refusal(call(null, passkeys.login, { ...answer, challengeToken: again.challengeToken })),
    ).toMatchObject(refused)
  })

  it('detects a copy by its counter', async () => {
    const who = await withPasskey()
    const first = await begin()
    await call(null, passkeys.login, {
      challengeToken: first.challengeToken,
      passkey: who.authenticator.get(first.options),
    })
    who.authenticator.counter = 0
    const second = await begin()
    const answer = { challengeToken: second.challengeToken, passkey: who.authenticator.get(second.options) }
    expect(await refusal(call(null, passkeys.login, answer))).toMatchObject(refused)
  })

  it('does not sign in to a disabled account', async () => {
    const who = await withPasskey()
    await system.query(`UPDATE users SET status = 'disabled' WHERE id = $1`, [who.userId])
    const { challengeToken, options } = await begin()
    const answer = { challengeToken, passkey: who.authenticator.get(options) }
    expect(await refusal(call(null, passkeys.login, answer))).toMatchObject(refused)
  })
})

describe('managing passkeys', () => {
  it('renames and deletes only the caller’s own passkeys', async () => {
    const who = await withPasskey()
    const other = await withPasskey()
    const { id } = who.added
    expect(await call(who, passkeys.rename, { id, name: 'Desk' })).toMatchObject({ name: 'Desk' })
    expect(await refusal(call(other, passkeys.rename, { id, name: 'Mine' }))).toMatchObject({ status: 404 })
    expect(await refusal(call(other, passkeys.remove, { id }))).toMatchObject({ status: 404 })
    await call(who, passkeys.remove, { id })
    expect((await call(who, passkeys.list, {})).data).toEqual([])
    expect((await auditOf(id)).map(({ action }) => action)).toEqual([
      'auth.passkey.create',
      'auth.passkey.update',
      'auth.passkey.delete',
    ])
  })
})
