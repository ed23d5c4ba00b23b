import type { Db } from '@muster/db/database.ts'
import { peppered } from '@muster/kit/secrets/keyring.ts'
import { sql } from 'kysely'
import { enqueueMail, sealedLink } from '../../../platform/mail/index.ts'
import type { Services } from '../../../services.ts'
import type { Tenant } from '../../../tenancy/tenancy/index.ts'
import { limitsOf, opaqueToken } from '../../auth/index.ts'

const invitationMs = 7 * 24 * 3_600_000

interface Inviter {
  readonly userId: string | null
  /** Email address of a user, or name of an identity provider. */
  readonly email: string
  /** Whether the inviter reads the response, so that it can carry a link when there is no mail server. */
  readonly isPresent: boolean
}

/**
 * Creates a link, which replaces an earlier one, and enqueues the mail.
 * @returns a second link for the inviter to pass on when there is no mail server. It proves no mailbox
 * @throws RATE_LIMITED when the partner wrote to the address too often
 */
export async function sendInvitation(
  db: Db,
  services: Services,
  tenant: Tenant,
  to: { userId: string; email: string; name: string },
  by: Inviter,
): Promise<string | undefined> {
  const { partnerId, orgId } = tenant
  await limitsOf(services).take('invitationPerPartnerAndEmail', `${partnerId} ${to.email}`)
  // An error here would reveal how often other tenants wrote to the address, so the mail is skipped silently.
  const isMailed = await limitsOf(services).tryTake('invitationPerEmail', to.email)
  const [token, handed] = [opaqueToken(), opaqueToken()]
  const isHanded = by.isPresent && services.settings.mailServer === false
  const expiresAt = new Date(services.clock.now() + invitationMs).toISOString()
  const link = {
    email: to.email,
    tokenHash: peppered(services.keyring, token),
    handedHash: isHanded ? peppered(services.keyring, handed) : null,
    expiresAt,
    createdBy: by.userId,
  }
  await db
    .insertInto('userInvitations')
    .values({ ...link, userId: to.userId, partnerId, orgId })
    .onConflict((row) =>
      row.columns(['userId', 'partnerId', 'orgId']).doUpdateSet({ ...link, issuedAt: sql<string>`now()` }),
    )
    .execute()
  // The fragment is not sent to servers. The page sends the token in a request body.
  const urlOf = (secret: string) => `${services.settings.publicUrl}/accept-invite#token=${secret}`
  const data = {
    name: to.name,
    tenant: tenant.name,
    invitedBy: by.email,
    expiresAt,
    url: sealedLink(services.keyring, urlOf(token)),
  }
  if (isMailed) await enqueueMail(db, { to: to.email, template: 'invitation', data, partnerId, orgId })
  return isHanded ? urlOf(handed) : undefined
}
