import { asSystem } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { denied, unauthenticated } from '@muster/kit/errors.ts'
import type { Services } from '../../../services.ts'
import { type Account, findAccount } from './accounts.queries.ts'
import { type Membership, membershipIn, type TenantScope } from './memberships.queries.ts'

/** The signed-in user whose account the call changes, and the tenant in which the user acts. */
export interface SignedInUser extends TenantScope {
  readonly userId: string
  readonly sessionId: string
  readonly email: string
  /** The identity provider that opened the session. */
  readonly providerId?: string | null
}

export function requireMfaOn({ settings }: Services): void {
  if (!settings.enable2fa) throw denied('Multi-factor authentication is turned off on this server')
}

export function signedInUser({
  userId,
  sessionId,
  email,
  scope,
  partnerId,
  orgId,
  providerId = null,
}: Caller): SignedInUser {
  if (sessionId === null) throw unauthenticated('Sign in to do this')
  return { userId, sessionId, email, scope, partnerId, orgId, providerId }
}

/** The account of the caller and the membership of its session. */
export async function signedInAccount(
  services: Services,
  caller: TenantScope & { readonly userId: string; readonly providerId?: string | null },
): Promise<{ account: Account; membership: Membership | undefined }> {
  return asSystem(services.system, async (db) => {
    const account = await findAccount(db, caller.userId, caller)
    if (account === undefined) throw unauthenticated('Invalid or expired token')
    return { account, membership: await membershipIn(db, caller.userId, caller) }
  })
}
