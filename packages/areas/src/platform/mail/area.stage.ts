import { testServices } from '@muster/testkit/services.ts'
import { stagePart } from '@muster/testkit/stage.ts'

export default stagePart(async ({ world: { partner } }) => {
  const { system } = await testServices()
  const { rows } = await system.query<{ id: string }>(
    `INSERT INTO mail_outbox (partner_id, to_address, template) VALUES ($1, 'a@example.test', 'notice') RETURNING id`,
    [partner.id],
  )
  return { mail: rows[0]?.id ?? '' }
})
