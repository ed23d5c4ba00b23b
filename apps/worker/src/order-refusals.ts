import type pg from 'pg'
import type { OrderRefusalRecord, Owned } from './decoded.ts'
import { refusalNoteMs, refusalNotesMax } from './limits.ts'

// One that is refused may be one of many: a device is put on record once in a while, however much it reports.
const noteRefusals = {
  name: 'note-order-refusals',
  text: `INSERT INTO audit_logs (actor_type, actor_id, partner_id, org_id, action, result, resource_type, resource_id, resource_name, details)
    SELECT 'agent', d.id, d.partner_id, d.org_id, 'device.order_refused', 'failure', 'device', d.id, d.hostname,
      jsonb_strip_nulls(jsonb_build_object('code', u.code, 'type', u.type, 'commandId', u.command_id, 'detail', u.detail))
    FROM unnest($1::uuid[], $2::text[], $3::int[], $4::text[], $5::text[]) AS u(device_id, code, type, command_id, detail)
    JOIN devices d ON d.id = u.device_id ORDER BY d.id`,
}

/** Puts on record that devices were sent something that they did not obey: somebody may hold ingest or Redis. */
export class OrderRefusals {
  /** Device → when it was last put on record. */
  readonly #noted = new Map<string, number>()

  /** Call inside the transaction; `noted` tells that it was committed. @returns the devices that are now on record */
  async store(client: pg.PoolClient, records: readonly Owned<OrderRefusalRecord>[]): Promise<string[]> {
    const nowMs = Date.now()
    const first = new Map<string, Owned<OrderRefusalRecord>>()
    for (const owned of records) {
      const lastMs = this.#noted.get(owned.deviceId) ?? Number.NEGATIVE_INFINITY
      if (nowMs - lastMs >= refusalNoteMs && !first.has(owned.deviceId)) first.set(owned.deviceId, owned)
    }
    if (first.size === 0) return []
    const bodies = [...first.values()].map(({ record }) => record.body)
    await client.query({
      ...noteRefusals,
      values: [
        [...first.keys()],
        bodies.map(({ code }) => code),
        bodies.map(({ type }) => type),
        bodies.map(({ commandId }) => commandId ?? null),
        bodies.map(({ detail }) => detail ?? null),
      ],
    })
    return [...first.keys()]
  }

  noted(deviceIds: readonly string[]): void {
    if (this.#noted.size + deviceIds.length > refusalNotesMax) this.#noted.clear()
    for (const deviceId of deviceIds) this.#noted.set(deviceId, Date.now())
  }
}
