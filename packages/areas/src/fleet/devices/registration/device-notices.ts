import type { Db } from '@muster/db/database.ts'
import { administratorsOf } from '../../../access/roles/index.ts'
import { enqueueMail } from '../../../platform/mail/index.ts'

export interface DeviceNotice {
  readonly template: 'device-quarantined' | 'device-duplicate'
  readonly device: {
    readonly id: string
    readonly orgId: string
    readonly partnerId: string
    readonly hostname: string
  }
  readonly at: string
  readonly reason?: string
}

/** Mails the administrators of a device's organization and partner that the device needs attention. */
export async function tellAdministrators(db: Db, publicUrl: string, notice: DeviceNotice): Promise<void> {
  const { template, device, at, reason = '' } = notice
  const { id, orgId, partnerId, hostname } = device
  const organization = await db.selectFrom('organizations').select('name').where('id', '=', orgId).executeTakeFirst()
  for (const { email, name } of await administratorsOf(db, device)) {
    const about = { name, device: hostname, organization: organization?.name ?? '', at, reason }
    await enqueueMail(db, {
      to: email,
      template,
      data: { ...about, url: `${publicUrl}/devices/${id}` },
      partnerId,
      orgId,
    })
  }
}
