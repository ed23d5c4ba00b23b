import { testServices } from '@muster/testkit/services.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import { person } from '@muster/testkit/world.ts'

export default stagePart(async ({ world: { partner, org } }) => {
  const { system } = await testServices()
  const { userId } = await person({ scope: 'partner', partnerId: partner.id }, { role: 'Partner Viewer' })
  const { rows } = await system.query<{ id: string }>(
    `INSERT INTO notifications (partner_id, org_id, user_id, key, type, priority, title)
     VALUES ($1, $2, $3, 'stage', 'system', 'normal', 'A webhook was disabled') RETURNING id`,
    [partner.id, org.id, userId],
  )
  return { notification: rows[0]?.id ?? '' }
})
