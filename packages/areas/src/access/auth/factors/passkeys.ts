import { asSystem, type Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { badRequest, conflict, denied, notFound, unauthenticated } from '@muster/kit/errors.ts'
import { originOf } from '@muster/kit/network/addresses.ts'
import { peppered } from '@muster/kit/secrets/keyring.ts'
import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import { z } from 'zod'
import { callersOf } from '../../../caller-cache.ts'
import { implement } from '../../../operation.ts'
import type { Services } from '../../../services.ts'
import { limitsOf } from '../limits.ts'
import { notice } from '../notices.ts'
import { type Account, findAccount, hasSecondFactor } from '../sessions/accounts.queries.ts'
import { membershipsOf } from '../sessions/memberships.queries.ts'
import { requireMfaOn, signedInAccount, signedInUser } from '../sessions/signed-in-user.ts'
import { opaqueToken } from '../sessions/tokens.ts'
import { requireMembershipWithoutSso } from '../sign-in/enforced-sso.ts'
import { accessibleMemberships, completeSignIn, noMembership, refusedSignIn } from '../sign-in/sign-in.ts'
import { markMfaPassed } from './factor-enrollment.ts'
import { claimFactorSet } from './factor-set.ts'
import { ceremonyMs, credentialFields, relyingParty, requestOptions, usePasskey, webAuthn } from './passkey-ceremony.ts'
import { passkeys as contract } from './passkeys.contract.ts'
import { newRecoveryCodes, storedCodes } from './recovery-codes.ts'
import { ownAccount } from './step-up.ts'

const perUserMax = 20
const columns = ['id', 'name', 'backedUp', 'createdAt', 'lastUsedAt'] as const

const registrationKey = (userId: string) => `passkey:registration:${userId}`
const loginKey = (services: Services, token: string) => `passkey:login:${peppered(services.keyring, token)}`

const Attestation = z.object({
  ...credentialFields,
  response: z.object({
    clientDataJSON: z.string().max(16_384),
    attestationObject: z.string().max(65_536),
    transports: z.array(z.string().max(32)).max(10).optional(),
  }),
})

export default implement(contract, {
  async list({ caller, db }) {
    const data = await db
      .selectFrom('passkeys')
      .select(columns)
      .where('userId', '=', caller.userId)
      .$if((caller.providerId ?? null) !== null, (query) => query.where('providerId', '=', caller.providerId ?? ''))
      .orderBy('createdAt')
      .execute()
    return { data }
  },

  async registrationOptions(call) {
    const { services, caller } = call
    requireMfaOn(services)
    const account = await ownAccount(call)
    const known = await asSystem(services.system, (db) => credentialsOf(db, caller.userId))
    if (known.length >= perUserMax) throw badRequest(`A user can have at most ${perUserMax} passkeys. Delete one first`)
    const { generateRegistrationOptions } = await webAuthn()
    const options = await generateRegistrationOptions({
      rpName: 'Muster',
      rpID: relyingParty(services.settings).id,
      userName: account.email,
      userDisplayName: account.name,
      userID: new TextEncoder().encode(account.id),
      timeout: ceremonyMs,
      attestationType: 'none',
      excludeCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    })
    await services.redis.set(registrationKey(caller.userId), options.challenge, 'PX', ceremonyMs)
    return { ...options }
  },

  async add(call) {
    const { services, caller, input, audit, afterCommit } = call
    requireMfaOn(services)
    const { sessionId } = signedInUser(caller)
    const made = await verifiedCredential(services, caller.userId, input.passkey)
    const { account } = await signedInAccount(services, caller)
    const providerId = caller.providerId ?? null
    const { passkey, recoveryCodes } = await call.write(async (db) => {
      const added = await db
        .insertInto('passkeys')
        .values({ ...made, userId: caller.userId, name: input.name, providerId })
        .onConflict((row) => row.column('credentialId').doNothing())
        .returning(columns)
        .executeTakeFirst()
      if (added === undefined) throw conflict('This passkey is already added to an account')
      const isFirst = !hasSecondFactor(account) && (await claimFactorSet(db, caller.userId, providerId))
      const recoveryCodes = isFirst ? newRecoveryCodes() : null
      if (recoveryCodes !== null) {
        const mfaRecoveryCodes = storedCodes(services.keyring, caller.userId, recoveryCodes)
        await db.updateTable('users').set({ mfaRecoveryCodes }).where('id', '=', caller.userId).execute()
      }
      await markMfaPassed(db, sessionId)
      audit({ target: added.id, name: added.name })
      await notice(db, services, account, caller, 'passkey-added')
      return { passkey: added, recoveryCodes }
    })
    afterCommit(() => callersOf(services).clear())
    return { ...passkey, recoveryCodes }
  },

  async rename(call) {
    const { caller, input, audit } = call
    return call.write(async (db) => {
      const before = await ownPasskey(db, caller, input.id)
      const after = await db
        .updateTable('passkeys')
        .set({ name: input.name })
        .where('id', '=', input.id)
        .returning(columns)
        .executeTakeFirstOrThrow()
      audit({ target: input.id, name: after.name, before: { name: before.name }, after: { name: after.name } })
      return after
    })
  },

  async remove(call) {
    const { services, caller, input, audit, afterCommit } = call
    const account = await ownAccount(call)
    const { membership } = await signedInAccount(services, caller)
    await call.write(async (db) => {
      const { name } = await ownPasskey(db, caller, input.id)
      const isLast = (await credentialsOf(db, caller.userId)).length === 1
      if (isLast && !account.mfaEnabled && membership?.requireMfa === true) {
        throw denied('Your organization requires multi-factor authentication')
      }
      const { numDeletedRows } = await db.deleteFrom('passkeys').where('id', '=', input.id).executeTakeFirst()
      if (numDeletedRows === 0n) throw notFound('Passkey')
      audit({ target: input.id, name })
      await notice(db, services, account, caller, 'passkey-removed')
    })
    afterCommit(() => callersOf(services).clear())
    return { success: true as const }
  },

  async loginOptions({ services, request }) {
    requireMfaOn(services)
    await limitsOf(services).take('passkeyPerAddress', originOf(request.ip))
    const options = await requestOptions(services, null)
    const challengeToken = opaqueToken()
    await services.redis.set(loginKey(services, challengeToken), options.challenge, 'PX', ceremonyMs)
    return { challengeToken, expiresIn: ceremonyMs / 1000, options: { ...options } }
  },

  async login(call) {
    const { services, request, input } = call
    requireMfaOn(services)
    // The first answer uses up the challenge, right or wrong.
    const expected = await services.redis.getdel(loginKey(services, input.challengeToken))
    if (expected === null) throw unauthenticated('Invalid or expired token')
    const userId = await usePasskey(services, input.passkey, expected, null)
    if (userId === null) throw refusedSignIn()
    const { account, memberships } = await asSystem(services.system, async (db) => ({
      account: await findAccount(db, userId),
      memberships: await membershipsOf(db, userId),
    }))
    if (account?.status !== 'active') throw refusedSignIn()
    const accessible = accessibleMemberships(account, memberships)
    const isProven = account.emailVerifiedAt !== null || accessible.length > 0
    const membership = isProven ? requireMembershipWithoutSso(accessible) : noMembership
    await limitsOf(services).giveBack('passkeyPerAddress', originOf(request.ip))
    return completeSignIn(call, { account, membership, method: 'passkey', mfa: true })
  },
})

const credentialsOf = (db: Db, userId: string) =>
  db.selectFrom('passkeys').select(['credentialId', 'transports']).where('userId', '=', userId).execute()

/** A session of an identity provider changes only passkeys that were created in a session of that provider. */
async function ownPasskey(db: Db, { userId, providerId = null }: Caller, id: string): Promise<{ name: string }> {
  const found = await db
    .selectFrom('passkeys')
    .select('name')
    .where('id', '=', id)
    .where('userId', '=', userId)
    .$if(providerId !== null, (query) => query.where('providerId', '=', providerId))
    .executeTakeFirst()
  if (found === undefined) throw notFound('Passkey')
  return found
}

/** The verified credential in a device's answer. The answer uses up the challenge of the user. */
async function verifiedCredential(services: Services, userId: Account['id'], given: unknown) {
  const expectedChallenge = await services.redis.getdel(registrationKey(userId))
  if (expectedChallenge === null)
    throw badRequest(
      'No passkey is being added, or the challenge has expired. Start again with POST /auth/passkeys/registration-options',
    )
  const wrong = () => badRequest('The passkey could not be verified')
  const parsed = Attestation.safeParse(given)
  if (!parsed.success) throw wrong()
  const response: RegistrationResponseJSON = {
    ...parsed.data,
    response: { ...parsed.data.response, transports: parsed.data.response.transports ?? [] },
  }
  const { id: expectedRPID, origins: expectedOrigin } = relyingParty(services.settings)
  const { verifyRegistrationResponse } = await webAuthn()
  const verified = await verifyRegistrationResponse({
    response,
    expectedChallenge,
    expectedOrigin,
    expectedRPID,
    requireUserVerification: false,
  }).catch((error: unknown) => {
    services.log.info({ err: error, userId }, 'new passkey rejected')
    throw wrong()
  })
  if (!verified.verified) throw wrong()
  const { credential, credentialBackedUp } = verified.registrationInfo
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports: credential.transports ?? [],
    backedUp: credentialBackedUp,
  }
}
