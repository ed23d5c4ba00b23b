import type { Db } from '@muster/db/database.ts'
import type { Call } from '../../../operation.ts'
import { enqueueMail } from '../../../platform/mail/index.ts'
import type { Services } from '../../../services.ts'
import { activatePartner } from '../../../tenancy/tenancy/index.ts'

interface Registrant {
  readonly id: string
  readonly email: string
  readonly name: string
}

/** Activates the pending partners of a registrant with a proven address, or notifies the administrators who approve them. */
export async function admitWaitingPartners(
  { services, audit }: Pick<Call, 'services' | 'audit'>,
  db: Db,
  user: Registrant,
): Promise<void> {
  const waiting = await db
    .selectFrom('partnerUsers')
    .innerJoin('partners', 'partners.id', 'partnerUsers.partnerId')
    .select(['partners.id', 'partners.name', 'partners.status'])
    .where('partnerUsers.userId', '=', user.id)
    .where('partners.status', '=', 'pending')
    .where('partners.deletedAt', 'is', null)
    .execute()
  const actor = { type: 'user', id: user.id, email: user.email } as const
  for (const partner of waiting) {
    if (services.settings.autoApprovePartners !== true) {
      await notifySystemAdmins(db, services, partner, user)
      continue
    }
    await activatePartner(db, partner.id)
    audit({
      action: 'partner.update',
      target: partner.id,
      name: partner.name,
      partnerId: partner.id,
      orgId: null,
      before: { status: 'pending' },
      after: { status: 'active' },
      actor,
    })
  }
}

const notifiedMax = 20

async function notifySystemAdmins(
  db: Db,
  { settings }: Services,
  partner: { id: string; name: string },
  by: Registrant,
): Promise<void> {
  const admins = await db
    .selectFrom('systemUsers')
    .innerJoin('users', 'users.id', 'systemUsers.userId')
    .select(['users.email', 'users.name'])
    .where('users.status', '=', 'active')
    .limit(notifiedMax)
    .execute()
  for (const admin of admins) {
    const data = {
      name: admin.name,
      partner: partner.name,
      contact: `${by.name} <${by.email}>`,
      url: `${settings.publicUrl}/partners/${partner.id}`,
    }
    await enqueueMail(db, { to: admin.email, template: 'partner-waiting', data, partnerId: null, orgId: null })
  }
}
