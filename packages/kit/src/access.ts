import type { Access, Scope } from './contract.ts'
import { denied, emailNotVerified, mfaRequired, unauthenticated } from './errors.ts'
import type { CallerKind, Permission } from './vocabulary.ts'

/**
 * Who is asking, and what the hierarchy lets them reach. Resolved from the credential, never from the request. Areas add the
 * limits that they know, with `declare module '@muster/kit/access.ts' { interface Caller { … } }`.
 */
export interface Caller {
  readonly kind: CallerKind
  /** The kind in the plural, as refusals name it: `API keys`. */
  readonly kindName: string
  readonly userId: string
  readonly email: string
  /** Null for callers without a session, such as API keys. */
  readonly sessionId: string | null
  readonly apiKeyId: string | null
  /** The identity provider that opened the session, which then reaches no further than the provider's organisation. */
  readonly providerId?: string | null
  readonly scope: Scope
  /** The partner that the caller belongs to, itself or through its organisation. Null for system scope. */
  readonly partnerId: string | null
  /** The organisation of an organisation-scoped caller. */
  readonly orgId: string | null
  /** Of partner scope: all organisations, a selection, or none. */
  readonly orgAccess: 'all' | 'selected' | 'none' | null
  /** The organisations of a selection or of an organisation-scoped caller; null where no list limits the caller. */
  readonly accessibleOrgIds: readonly string[] | null
  readonly roleId: string | null
  readonly permissions: ReadonlySet<Permission>
  /** Did this sign-in pass a second factor? */
  readonly mfa: boolean
  /** When the person last showed everything that protects the account; null when something of it was never shown in this session. */
  readonly confirmedAt?: string | null
  /** False while the address is not proven: the caller can then do nothing but prove it. A session of an identity provider counts. */
  readonly emailVerified: boolean
  /** What demands a second factor that this sign-in does not have; null when nothing does. */
  readonly mfaOwed: 'role' | 'organization' | null
  /** False while the caller's partner is pending, suspended or churned. */
  readonly partnerActive: boolean
}

export const hasPermission = (caller: Pick<Caller, 'permissions'>, permission: Permission): boolean =>
  caller.permissions.has(permission) || caller.permissions.has('*:*')

/** Refuses a caller that the declaration does not admit. The order of the checks is the order of the answers. */
export function admit(access: Access, caller: Caller | null): void {
  if (access.who === 'public') return
  if (caller === null) throw unauthenticated()
  if (!caller.emailVerified && !access.beforeVerified) throw emailNotVerified()
  if (!caller.partnerActive && !access.beforeActive) throw denied('Partner account is not active')
  if (caller.mfaOwed !== null && !access.beforeMfa) throw mfaRequired(caller.mfaOwed)
  if (!access.kinds.includes(caller.kind)) throw denied(`${caller.kindName} cannot be used for this operation`)
  if (!access.scopes.includes(caller.scope)) throw denied(`Not available in ${caller.scope} scope`)
  if (access.permission !== null && !hasPermission(caller, access.permission)) {
    throw denied(`Permission denied: ${access.permission} is required`)
  }
}
