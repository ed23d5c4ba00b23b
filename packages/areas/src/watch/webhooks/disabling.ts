import type { Db } from '@muster/db/database.ts'
import { administratorsOf, partnerAdministrators } from '../../access/roles/index.ts'
import { recordAsSystem } from '../../platform/audit/index.ts'
import { closeLane } from '../../platform/deliveries/index.ts'
import type { PartnerEvent } from '../../platform/live-events/index.ts'
import { enqueueMail } from '../../platform/mail/index.ts'
import { notify } from '../notifications/index.ts'
import { laneOf } from './webhooks.queries.ts'

const failingMs = 72 * 3_600_000
const failuresMin = 20
const reasonMax = 500

/** Whether an endpoint has failed for so long and so often that Muster stops. */
export const isUseless = (failures: number, sinceMs: number, nowMs: number): boolean =>
  failures >= failuresMin && nowMs - sinceMs >= failingMs

/** Stops webhooks and tells their owners. What waits is kept to be replayed. @returns live events to publish after the commit */
export async function disableWebhooks(
  db: Db,
  reasons: ReadonlyMap<string, string>,
  publicUrl: string,
): Promise<PartnerEvent[]> {
  const events: PartnerEvent[] = []
  for (const [id, reason] of reasons) {
    const webhook = await db
      .updateTable('webhooks')
      .set({ status: 'disabled', disabledReason: reason.slice(0, reasonMax) })
      .where('id', '=', id)
      .where('status', '=', 'active')
      .returning(['id', 'name', 'url', 'orgId', 'partnerId'])
      .executeTakeFirst()
    if (webhook === undefined) continue
    const { name, url, orgId, partnerId } = webhook
    await closeLane(db, laneOf(id))
    await recordAsSystem(db, {
      action: 'webhook.disable',
      target: id,
      name,
      orgId,
      partnerId,
      details: { reason, url },
    })
    events.push(
      ...(await notify(db, [
        {
          partnerId,
          orgId,
          type: 'system',
          subjects: [
            {
              priority: 'high',
              title: `The webhook ${name} was disabled`,
              body: `${reason}. Its deliveries are kept for 30 days. Enable the webhook and replay them.`,
              link: { kind: 'webhook', id },
            },
          ],
          key: `webhook disabled ${id}`,
          audience: { permission: 'settings:write' },
        },
      ])),
    )
    const owners =
      orgId === null ? await partnerAdministrators(db, partnerId) : await administratorsOf(db, { orgId, partnerId })
    for (const { email, name: person } of owners) {
      const data = { name: person, webhook: name, reason, url: `${publicUrl}/webhooks/${id}` }
      await enqueueMail(db, { to: email, template: 'webhook-disabled', data, partnerId, orgId })
    }
  }
  return events
}
