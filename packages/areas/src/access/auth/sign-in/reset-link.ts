import type { Db } from '@muster/db/database.ts'
import { enqueueMail, sealedLink } from '../../../platform/mail/index.ts'
import type { Services } from '../../../services.ts'
import { issueHandedToken, issueToken } from './one-time-tokens.ts'

interface Addressee {
  readonly id: string
  readonly email: string
  readonly name: string
}

const urlOf = ({ publicUrl }: Services['settings'], token: string) => `${publicUrl}/reset-password#token=${token}`

/**
 * Creates a further link beside the mailed one, for an administrator to pass on when there is no mail server. Only for an
 * administrator who manages everything that the account can access. A change of memberships invalidates it.
 */
export async function handResetLink(
  db: Db,
  services: Pick<Services, 'keyring' | 'clock' | 'settings'>,
  to: Pick<Addressee, 'id' | 'email'>,
): Promise<string> {
  return urlOf(services.settings, await issueHandedToken(db, services, 'reset-password', to))
}

/** Mails a link that sets a new password once, within an hour. It replaces an earlier link. */
export async function mailResetLink(
  db: Db,
  services: Pick<Services, 'keyring' | 'clock' | 'settings'>,
  to: Addressee,
  place: { readonly partnerId: string | null; readonly orgId: string | null },
): Promise<void> {
  const token = await issueToken(db, services, 'reset-password', to)
  const data = { name: to.name, url: sealedLink(services.keyring, urlOf(services.settings, token)), minutes: 60 }
  const { partnerId, orgId } = place
  await enqueueMail(db, { to: to.email, template: 'reset-password', data, partnerId, orgId })
}
