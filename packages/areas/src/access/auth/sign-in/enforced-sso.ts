// When an organization enforces its active identity provider, its members can sign in only through that provider. The rule
// applies to memberships of the organization. Partner and system users are exempt, so they can turn off a broken provider.
import { AppError, denied } from '@muster/kit/errors.ts'
import type { Membership } from '../sessions/memberships.queries.ts'

/** The membership with the widest scope that does not require single sign-on. Memberships are ordered widest first. */
export const membershipWithoutSso = (memberships: readonly Membership[]): Membership | undefined =>
  memberships.find(({ ssoEnforced }) => !ssoEnforced)

/** Whether all memberships require single sign-on. */
export const requiresSso = (memberships: readonly Membership[]): boolean =>
  memberships.length > 0 && membershipWithoutSso(memberships) === undefined

/** Names the URL to sign in at. Only for a person whose password or code was right, because it reveals a membership. */
export const ssoRequired = ({ orgId }: Pick<Membership, 'orgId'>) =>
  new AppError('SSO_REQUIRED', 'Your organization requires single sign-on', {
    orgId,
    loginUrl: `/api/v1/sso/login/${orgId}`,
  })

/** @throws FORBIDDEN without any membership; SSO_REQUIRED when all memberships require single sign-on */
export function requireMembershipWithoutSso(memberships: readonly Membership[]): Membership {
  const place = membershipWithoutSso(memberships)
  if (place !== undefined) return place
  const [closed] = memberships
  throw closed === undefined ? denied('Partner or organization context') : ssoRequired(closed)
}
