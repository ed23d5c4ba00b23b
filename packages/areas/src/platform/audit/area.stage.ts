import { testServices } from '@muster/testkit/services.ts'
import { stagePart } from '@muster/testkit/stage.ts'

export default stagePart(async ({ world: { partner, org }, marks }) => {
  const { system } = await testServices()
  const { rows } = await system.query<{ id: string }>(
    `INSERT INTO audit_logs (partner_id, org_id, actor_type, action, resource_type, resource_name)
     VALUES ($1, $2, 'system', 'site.update', 'site', $3) RETURNING id`,
    [partner.id, org.id, `sample ${marks.organization}`],
  )
  return { record: rows[0]?.id ?? '' }
})
