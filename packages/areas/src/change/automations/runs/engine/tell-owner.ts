import { notify } from '../../../../watch/notifications/index.ts'
import type { Moving } from './moving.ts'

interface Owned {
  readonly id: string
  readonly partnerId: string
  readonly orgId: string | null
  readonly ownerId: string
}

/** Notifies the owner of an automation. */
export async function tellOwner({ db, events }: Moving, automation: Owned, title: string, body: string): Promise<void> {
  const { id, partnerId, orgId, ownerId } = automation
  const subject = { priority: 'high' as const, title, body, link: { kind: 'automation', id } }
  events.push(
    ...(await notify(db, [
      {
        partnerId,
        orgId,
        type: 'automation',
        key: `automation:${id}:${title}`,
        subjects: [subject],
        audience: { userIds: [ownerId] },
      },
    ])),
  )
}
