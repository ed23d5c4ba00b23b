// WebAuthn code for both uses of a passkey: as the second factor, and as a sign-in without a password.
import { asSystem, type Db } from '@muster/db/database.ts'
import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Services, Settings } from '../../../services.ts'
import { type Account, isValidIn, type Session } from '../sessions/accounts.queries.ts'

export const ceremonyMs = 300_000

/** Loaded on first use, because loading takes longer than all other modules of the sign-in together. */
export const webAuthn = () => import('@simplewebauthn/server')

/** Browsers bind passkeys to a domain, and an IP address is not a domain. There, only `localhost` works. */
export function relyingParty({ publicUrl }: Pick<Settings, 'publicUrl'>): { id: string; origins: string[] } {
  const { hostname, origin, port } = new URL(publicUrl)
  const isAddress = /^[\d.]+$|^\[/.test(hostname)
  return isAddress
    ? { id: 'localhost', origins: [`http://localhost${port === '' ? '' : `:${port}`}`] }
    : { id: hostname, origins: [origin] }
}

/** The fields that WebAuthn sends with each kind of response. */
export const credentialFields = {
  id: z.string().max(2048),
  rawId: z.string().max(2048),
  type: z.literal('public-key'),
  clientExtensionResults: z.looseObject({}).default({}),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).optional(),
}
const Assertion = z.object({
  ...credentialFields,
  response: z.object({
    clientDataJSON: z.string().max(16_384),
    authenticatorData: z.string().max(16_384),
    signature: z.string().max(16_384),
    userHandle: z.string().max(1024).optional(),
  }),
})

interface Stored {
  readonly id: string
  readonly userId: string
  readonly credentialId: string
  readonly publicKey: Buffer
  readonly counter: number
  readonly transports: string[]
}

const counting = (db: Db, where: Session) =>
  db
    .selectFrom('passkeys')
    .select(['id', 'userId', 'credentialId', 'publicKey', 'counter', 'transports'])
    .where(isValidIn(sql`provider_id`, where))

/** Options with which the browser requests a passkey: one of this user that is valid in the session, or any passkey. */
export async function requestOptions(
  services: Pick<Services, 'settings' | 'system'>,
  of: { readonly userId: string; readonly providerId: string | null } | null,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const known =
    of === null
      ? []
      : await asSystem(services.system, (db) => counting(db, of).where('userId', '=', of.userId).execute())
  const { generateAuthenticationOptions } = await webAuthn()
  return generateAuthenticationOptions({
    rpID: relyingParty(services.settings).id,
    allowCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    timeout: ceremonyMs,
    // A passkey alone counts as both factors, so the device has to verify the user. After a password it is the second factor.
    userVerification: of === null ? 'required' : 'preferred',
  })
}

/**
 * Verifies a signed assertion and stores the counter of the passkey.
 * @param beside the session of an unfinished sign-in; null when the passkey is the whole sign-in, so that the device must
 * have verified the user
 * @returns the user of the passkey; null when the assertion is invalid
 */
export async function usePasskey(
  services: Pick<Services, 'settings' | 'system' | 'clock' | 'log'>,
  given: unknown,
  expectedChallenge: string,
  beside: Session | null,
): Promise<string | null> {
  const parsed = Assertion.safeParse(given)
  if (!parsed.success) return null
  const response: AuthenticationResponseJSON = parsed.data
  const passkey = await asSystem(services.system, (db) =>
    counting(db, beside ?? { providerId: null })
      .where('credentialId', '=', response.id)
      .executeTakeFirst(),
  )
  if (passkey === undefined) return null
  const { id, origins } = relyingParty(services.settings)
  try {
    const { verifyAuthenticationResponse } = await webAuthn()
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin: origins,
      expectedRPID: id,
      requireUserVerification: beside === null,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.counter,
        transports: passkey.transports,
      },
    })
    if (!verified || !(await storeCounter(services, passkey, authenticationInfo.newCounter))) return null
    return passkey.userId
  } catch (error) {
    services.log.info({ err: error, passkey: passkey.id }, 'passkey rejected')
    return null
  }
}

// Devices with a counter must raise it, also in two simultaneous requests. Other devices always send 0.
async function storeCounter(
  { system, clock }: Pick<Services, 'system' | 'clock'>,
  { id }: Stored,
  counter: number,
): Promise<boolean> {
  const { numUpdatedRows } = await asSystem(system, (db) =>
    db
      .updateTable('passkeys')
      .set({ counter, lastUsedAt: new Date(clock.now()).toISOString() })
      .where('id', '=', id)
      .where(sql<boolean>`(counter < ${counter} OR (counter = 0 AND ${counter} = 0))`)
      .executeTakeFirst(),
  )
  return numUpdatedRows === 1n
}

/** Verifies a passkey as the second factor of a sign-in that began with a password. */
export async function usePasskeyOfChallenge(
  services: Services,
  account: Account,
  { passkeyChallenge, providerId }: { readonly passkeyChallenge: string | null; readonly providerId: string | null },
  given: unknown,
): Promise<'passkey' | null> {
  if (passkeyChallenge === null) return null
  return (await usePasskey(services, given, passkeyChallenge, { providerId })) === account.id ? 'passkey' : null
}
