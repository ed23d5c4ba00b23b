// An organisation whose active identity provider is enforced lets its members in through that provider alone. It binds
// memberships of the organisation: people of the partner and of the installation are not under it, so there is always
// somebody who can switch a broken provider off.
import { AppError, denied } from '@muster/kit/errors.ts'
import type { Membership } from '../sessions/memberships.queries.ts'

/** The widest place that somebody may sign in to without a provider. */
export const openPlace = (memberships: readonly Membership[]): Membership | undefined =>
  memberships.find(({ ssoEnforced }) => !ssoEnforced)

/** Is there no way in but a provider's? */
export const isClosed = (memberships: readonly Membership[]): boolean =>
  memberships.length > 0 && openPlace(memberships) === undefined

/** Says where to sign in instead. Only for somebody who has proved who it is: strangers are told nothing. */
export const ssoRequired = ({ orgId }: Pick<Membership, 'orgId'>) =>
  new AppError('SSO_REQUIRED', 'Your organization requires single sign-on', {
    orgId,
    loginUrl: `/api/v1/sso/login/${orgId}`,
  })

/** @throws FORBIDDEN without any membership, SSO_REQUIRED when providers alone open the ones there are */
export function requireOpenPlace(memberships: readonly Membership[]): Membership {
  const place = openPlace(memberships)
  if (place !== undefined) return place
  const [closed] = memberships
  throw closed === undefined ? denied('Partner or organization context') : ssoRequired(closed)
}
