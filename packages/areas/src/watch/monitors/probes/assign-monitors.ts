// The checks of devices that are probes.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { assignChecks } from '../../../control/assignments/index.ts'
import { assignedCheck } from '../checks/config.ts'
import { type StoredMonitor, sealedFor } from '../monitor.queries.ts'

/** Lets one transaction at a time change the probes and checks of an organization. */
export async function lockOrganizations(db: Db, orgIds: readonly string[]): Promise<void> {
  const ids = [...new Set(orgIds)].sort()
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('monitors ' || id, 0)) FROM unnest(${ids}::text[]) AS u(id)`.execute(
    db,
  )
}

/** Replaces the checks of these devices by those of the monitors that they are probes of. */
export async function assignMonitors(db: Db, deviceIds: readonly string[]): Promise<void> {
  const devices = [...new Set(deviceIds)].sort()
  if (devices.length === 0) return
  const { rows } = await sql<StoredMonitor & { probeId: string }>`SELECT m.*, p.device_id AS probe_id
    FROM monitor_probes p JOIN monitors m ON m.id = p.monitor_id
    WHERE p.device_id = ANY (${devices}::uuid[]) AND p.unable_until IS NULL AND m.enabled ORDER BY m.id`.execute(db)
  const byDevice = Map.groupBy(rows, ({ probeId }) => probeId)
  await assignChecks(
    db,
    'monitors',
    devices.map((deviceId) => ({
      deviceId,
      items: (byDevice.get(deviceId) ?? []).map((monitor) => ({
        ...assignedCheck(monitor),
        ...(monitor.secrets === null ? {} : { sealed: { text: monitor.secrets, context: sealedFor(monitor.id) } }),
      })),
    })),
  )
}
