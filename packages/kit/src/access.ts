import type { Access, Scope } from './contract.ts'
import { denied, emailNotVerified, mfaRequired, partnerInactive, unauthenticated } from './errors.ts'
import type { CallerKind, Permission } from './vocabulary.ts'

/**
 * The authenticated caller and its reach. Resolved from the credential, never from the request. Areas add the limits that
 * they know, with `declare module '@muster/kit/access.ts' { interface Caller { … } }`.
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
  /** The identity provider that opened the session, which then reaches no further than the provider's organization. */
  readonly providerId?: string | null
  readonly scope: Scope
  /** The partner that the caller belongs to, itself or through its organization. Null for system scope. */
  readonly partnerId: string | null
  /** The organization of an organization-scoped caller. */
  readonly orgId: string | null
  /** Of partner scope: all organizations, a selection, or none. */
  readonly orgAccess: 'all' | 'selected' | 'none' | null
  /** The organizations of a selection or of an organization-scoped caller; null where no list limits the caller. */
  readonly accessibleOrgIds: readonly string[] | null
  readonly roleId: string | null
  readonly permissions: ReadonlySet<Permission>
  /** Whether this sign-in passed a second factor. */
  readonly mfa: boolean
  /** When the session last proved all factors of the account; null when it never did. */
  readonly confirmedAt?: string | null
  /** False while the address is unproven. The caller can then only verify it. A session of an identity provider counts as proven. */
  readonly emailVerified: boolean
  /** Whether the role or the organization requires a second factor that this sign-in lacks; null when neither does. */
  readonly mfaOwed: 'role' | 'organization' | null
  /** False while the caller's partner is pending, suspended or churned. */
  readonly partnerActive: boolean
}

export const hasPermission = (caller: Pick<Caller, 'permissions'>, permission: Permission): boolean =>
  caller.permissions.has(permission) || caller.permissions.has('*:*')

/** @throws FORBIDDEN naming the permission */
export function requirePermission(caller: Pick<Caller, 'permissions'>, permission: Permission): void {
  if (!hasPermission(caller, permission)) throw denied(`Permission denied: ${permission} is required`)
}

/** Rejects a caller that the operation does not admit. The first failed check determines the error. */
export function admit(access: Access, caller: Caller | null): void {
  if (access.who === 'public') return
  if (caller === null) throw unauthenticated()
  if (!caller.emailVerified && !access.beforeVerified) throw emailNotVerified()
  if (!caller.partnerActive && !access.beforeActive) throw partnerInactive()
  if (caller.mfaOwed !== null && !access.beforeMfa) throw mfaRequired(caller.mfaOwed)
  if (!access.kinds.includes(caller.kind)) throw denied(`${caller.kindName} cannot be used for this operation`)
  if (!access.scopes.includes(caller.scope)) throw denied(`Not available in ${caller.scope} scope`)
  if (access.permission !== null) requirePermission(caller, access.permission)
}
