import { handleOn } from '@muster/db/database.ts'
import type pg from 'pg'
import { counter } from '../../../background/counter.ts'
import { type Received, records } from '../../../background/record.ts'
import { type WorkerParts, workerPart } from '../../../background/worker-parts.ts'
import { recordAsSystem } from '../../../platform/audit/index.ts'

/** The audit log records refusals of one device this often, however many the device reports. */
const auditedEveryMs = 10_000
/** Devices whose last audit record is remembered. */
const devicesMax = 50_000

type Refusal = Received<'refusal'>

export const ordersRefused = counter('order_refusals_total', 'Orders that devices refused, by reason', ['code'])

/** Device → when its last refusal was recorded. */
const auditedOf = workerPart(() => new Map<string, number>())

/** Audits that a device refused an order, because an attacker may control a gateway or Redis. */
export const orderRefusals = records({
  names: ['refusal'],
  keep: 'all',
  async store(client, refusals, parts) {
    const due = dueRefusals(auditedOf(parts), refusals)
    if (due.length > 0) await audit(client, due)
    return { afterCommit: () => note(parts, refusals, due) }
  },
})

/** The first refusal of each device without a recent record. */
function dueRefusals(audited: ReadonlyMap<string, number>, refusals: readonly Refusal[]): Refusal[] {
  const nowMs = Date.now()
  const due = new Map<string, Refusal>()
  for (const refusal of refusals) {
    const lastMs = audited.get(refusal.deviceId) ?? Number.NEGATIVE_INFINITY
    if (nowMs - lastMs >= auditedEveryMs && !due.has(refusal.deviceId)) due.set(refusal.deviceId, refusal)
  }
  return [...due.values()]
}

async function audit(client: pg.PoolClient, refusals: readonly Refusal[]): Promise<void> {
  const db = handleOn(client)
  const bodies = new Map(refusals.map(({ deviceId, body }) => [deviceId, body]))
  const devices = await db
    .selectFrom('devices')
    .select(['id', 'hostname', 'orgId', 'partnerId'])
    .where('id', 'in', [...bodies.keys()])
    .orderBy('id')
    .execute()
  await recordAsSystem(
    db,
    devices.map(({ id, hostname, orgId, partnerId }) => ({
      action: 'device.order_refused',
      result: 'failure',
      actor: { type: 'agent', id },
      target: id,
      name: hostname,
      orgId,
      partnerId,
      details: { ...bodies.get(id) },
    })),
  )
}

function note(parts: WorkerParts, refusals: readonly Refusal[], due: readonly Refusal[]): void {
  const audited = auditedOf(parts)
  for (const { body } of refusals) parts.count(ordersRefused, { code: body.code })
  if (audited.size + due.length > devicesMax) audited.clear()
  for (const { deviceId } of due) audited.set(deviceId, Date.now())
}
