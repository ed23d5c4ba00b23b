// Fixes the devices of a deployment and draws its batches.
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { badRequest } from '@muster/kit/errors.ts'
import { type Expression, type SqlBool, sql } from 'kysely'
import { conditionOf, place, visibleDevices } from '../../../fleet/devices/index.ts'
import { isInSavedSet, readTargets } from '../../../fleet/targets/index.ts'
import type { Call } from '../../../operation.ts'
import { kindOf } from '../deployment-kinds.ts'
import type { Row } from '../deployments.queries.ts'
import { drawBatches, type Reach, shareOf } from './draw.rules.ts'
import { type Batch, Strategy } from './strategy.contract.ts'

const asIds = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id)

/** The targeted devices that the caller sees, in an order that is random and the same for each key. */
async function targetedDevices(db: Db, caller: Caller, { targetSetId }: Row, key: string): Promise<string[]> {
  const [isTargeted, saved] = await Promise.all([isInSavedSet(db, targetSetId), readTargets(db, [targetSetId])])
  const named = saved.get(targetSetId)?.targets.deviceIds ?? []
  const { rows } = await sql<{ id: string }>`
    SELECT devices.id FROM devices
    WHERE ${isTargeted} AND ${visibleDevices(caller)} AND (devices.lifecycle = 'active' OR devices.id = ANY (${named}::uuid[]))
    ORDER BY ${place(key)}, devices.id`.execute(db)
  return asIds(rows)
}

const among = async (db: Db, deviceIds: readonly string[], condition: Expression<SqlBool>) => {
  const { rows } = await sql<{ id: string }>`
    SELECT devices.id FROM devices LEFT JOIN device_state AS state ON state.device_id = devices.id
    WHERE devices.id = ANY (${[...deviceIds]}::uuid[]) AND ${condition}`.execute(db)
  return new Set(asIds(rows))
}

async function reachOf(db: Db, { partnerId, orgId }: Row, batch: Batch, deviceIds: readonly string[]): Promise<Reach> {
  if ('percent' in batch) return { total: shareOf(batch.percent, deviceIds.length) }
  if ('count' in batch) return { total: batch.count }
  if ('filter' in batch)
    return { members: await among(db, deviceIds, await conditionOf(db, batch.filter, { partnerId, orgId })) }
  const members = sql<SqlBool>`devices.id IN (SELECT m.device_id FROM device_group_members m WHERE m.group_id = ANY (${batch.groupIds}::uuid[]))`
  return { members: await among(db, deviceIds, members) }
}

/** Makes the deployment ready. @throws BAD_REQUEST if the targets contain no device, or no batch reaches one */
export async function drawDevices(call: Pick<Call, 'db' | 'caller' | 'services'>, row: Row): Promise<number> {
  const { db, caller, services } = call
  const kind = kindOf(services.deploymentKinds, row.ordered)
  const key = kind.by === 'offers' ? await kind.drawKey(db, row.ordered) : row.id
  const deviceIds = await targetedDevices(db, caller, row, key)
  if (deviceIds.length === 0) throw badRequest('The targets contain no device')
  return drawAmong(db, row, deviceIds)
}

/** Draws the batches among devices in their order. @throws BAD_REQUEST if no batch reaches one */
export async function drawAmong(db: Db, row: Row, deviceIds: readonly string[]): Promise<number> {
  const reaches: Reach[] = []
  for (const batch of Strategy.parse(row.strategy).batches) reaches.push(await reachOf(db, row, batch, deviceIds))
  const batches = drawBatches(deviceIds, reaches)
  const drawn = batches.flatMap((ids, index) => ids.map((deviceId) => ({ deviceId, batch: index + 1 })))
  if (drawn.length === 0) throw badRequest('The batches of the strategy contain none of the targeted devices')
  await dropBatches(db, row.id)
  await sql`INSERT INTO deployment_batches (deployment_id, number, partner_id, org_id, devices)
    SELECT ${row.id}::uuid, number, ${row.partnerId}::uuid, ${row.orgId}::uuid, devices
    FROM unnest(${batches.map((_, index) => index + 1)}::int[], ${batches.map((ids) => ids.length)}::int[]) AS b (number, devices)`.execute(
    db,
  )
  await sql`INSERT INTO deployment_devices (deployment_id, device_id, partner_id, org_id, batch, place)
    SELECT ${row.id}::uuid, devices.id, devices.partner_id, devices.org_id, given.batch, given.place
    FROM unnest(${drawn.map(({ deviceId }) => deviceId)}::uuid[], ${drawn.map(({ batch }) => batch)}::int[])
      WITH ORDINALITY AS given (id, batch, place)
    JOIN devices ON devices.id = given.id`.execute(db)
  await db
    .updateTable('deployments')
    .set({ status: 'ready', revision: row.revision + 1 })
    .where('id', '=', row.id)
    .execute()
  return drawn.length
}

export async function dropBatches(db: Db, id: string): Promise<void> {
  await db.deleteFrom('deploymentDevices').where('deploymentId', '=', id).execute()
  await db.deleteFrom('deploymentBatches').where('deploymentId', '=', id).execute()
}
