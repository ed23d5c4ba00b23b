import { call } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import { webhooks } from './webhooks.contract.ts'

export default stagePart(async ({ world: { org, partner, partnerAdmin }, marks }) => {
  const { system } = await testServices()
  const given = { orgId: org.id, name: `Hook ${marks.organization}`, url: 'http://127.0.0.1:9/', events: ['*'] }
  const { id } = await call(partnerAdmin, webhooks.create, given)
  const { rows } = await system.query<{ id: string }>(
    `INSERT INTO deliveries (partner_id, org_id, lane, key, payload, status, next_attempt_at, ended_at)
     VALUES ($1, $2, $3, gen_random_uuid(), $4, 'failed', NULL, now()) RETURNING id`,
    [partner.id, org.id, `webhook:${id}`, JSON.stringify({ type: `device.${marks.organization}` })],
  )
  return { webhook: id, webhookDelivery: rows[0]?.id ?? '' }
})
