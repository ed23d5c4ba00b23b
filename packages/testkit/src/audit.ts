import { testServices } from './services.ts'

/** The audit records about one thing, oldest first. */
export async function auditOf(resourceId: string) {
  const { system } = await testServices()
  const { rows } = await system.query<{
    action: string
    result: string
    actor_type: string
    actor_id: string | null
    actor_email: string | null
    partner_id: string | null
    org_id: string | null
    changed_fields: string[] | null
    details: { changes?: Record<string, { before: unknown; after: unknown }>; [name: string]: unknown }
  }>('SELECT * FROM audit_logs WHERE resource_id = $1 ORDER BY at, id', [resourceId])
  return rows
}
