import type { Db } from '@muster/db/database.ts'
import { peppered } from '@muster/kit/keyring.ts'
import { opaqueToken } from '../auth/index.ts'
import { enqueueMail, sealedLink } from '../mail/index.ts'
import type { Services } from '../services.ts'
import type { Tenant } from '../tenancy/index.ts'

const invitationMs = 7 * 24 * 3_600_000

/** Makes a new link, which replaces an earlier one, and puts it into the outbox. @param by who invites, by e-mail or name */
export async function sendInvitation(
  db: Db,
  services: Services,
  tenant: Tenant,
  to: { userId: string; email: string; name: string },
  by: { userId: string | null; email: string },
): Promise<void> {
  const token = opaqueToken()
  const tokenHash = peppered(services.keyring, token)
  const expiresAt = new Date(services.clock.now() + invitationMs).toISOString()
  const { partnerId, orgId } = tenant
  await db
    .insertInto('userInvitations')
    .values({ userId: to.userId, partnerId, orgId, tokenHash, expiresAt, createdBy: by.userId })
    .onConflict((row) =>
      row.columns(['userId', 'partnerId', 'orgId']).doUpdateSet({ tokenHash, expiresAt, createdBy: by.userId }),
    )
    .execute()
  const data = {
    name: to.name,
    tenant: tenant.name,
    invitedBy: by.email,
    expiresAt,
    // Behind the #, so that the token reaches no server but ours, and that in a body.
    url: sealedLink(services.keyring, `${services.settings.publicUrl}/accept-invite#token=${token}`),
  }
  await enqueueMail(db, { to: to.email, template: 'invitation', data, partnerId, orgId })
}
