import type { Db } from '@muster/db/database.ts'
import { enqueueMail, sealedLink } from '../mail/index.ts'
import type { Services } from '../services.ts'
import { issueToken } from './one-time-tokens.ts'

interface Addressee {
  readonly id: string
  readonly email: string
  readonly name: string
}

/** Mails a link that sets a new password once, within an hour; it replaces an earlier one. */
export async function mailResetLink(
  db: Db,
  services: Pick<Services, 'keyring' | 'clock' | 'settings'>,
  to: Addressee,
  place: { readonly partnerId: string | null; readonly orgId: string | null },
): Promise<void> {
  const token = await issueToken(db, services, 'reset-password', to.id)
  const url = `${services.settings.publicUrl}/reset-password#token=${token}`
  const data = { name: to.name, url: sealedLink(services.keyring, url), minutes: 60 }
  const { partnerId, orgId } = place
  await enqueueMail(db, { to: to.email, template: 'reset-password', data, partnerId, orgId })
}
