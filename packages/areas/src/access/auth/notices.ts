import type { Db } from '@muster/db/database.ts'
import { enqueueMail } from '../../platform/mail/index.ts'
import type { Services } from '../../services.ts'

export const notices = {
  'password-changed': 'Your password was changed',
  'mfa-enabled': 'Two-step sign-in was turned on',
  'mfa-disabled': 'Two-step sign-in was turned off',
  'mfa-reset': 'Your two-step sign-in was reset by an administrator',
  'recovery-codes-replaced': 'Your recovery codes were replaced',
  'phone-changed': 'The phone number of your two-step sign-in was changed',
  'passkey-added': 'A passkey was added',
  'passkey-removed': 'A passkey was removed',
  'session-stolen': 'A refresh token of yours was used twice, so its session was ended',
} as const
export type Notice = keyof typeof notices

/** Mails the user that the sign-in changed, so that the user notices changes by others. */
export const notice = (
  db: Db,
  services: Pick<Services, 'keyring' | 'clock' | 'settings'>,
  to: { readonly email: string; readonly name: string },
  place: { readonly partnerId: string | null; readonly orgId: string | null },
  what: Notice,
): Promise<void> =>
  enqueueMail(db, {
    to: to.email,
    template: 'notice',
    data: {
      name: to.name,
      what: notices[what],
      at: new Date(services.clock.now()).toISOString(),
      url: `${services.settings.publicUrl}/account`,
    },
    partnerId: place.partnerId,
    orgId: place.orgId,
  })
