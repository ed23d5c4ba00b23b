import { always } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { paged } from '@muster/db/page.ts'
import type { Caller } from '@muster/kit/access.ts'
import { conflict, notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { visibleDevices } from '../../../fleet/devices/index.ts'
import { implement } from '../../../operation.ts'
import { begin } from '../course/launch.ts'
import { requireStep } from '../course/states.ts'
import type { DeviceStatus } from '../deployments.contract.ts'
import { changeable, rowById } from '../deployments.queries.ts'
import { devices as contract, DeploymentDevice } from './devices.contract.ts'

/** Whether the command of a device runs is read from the command. */
const status = sql<DeviceStatus>`CASE WHEN device.status = 'queued' AND command.status = 'running' THEN 'running' ELSE device.status END`

const devicesOfDeployment = (db: Db, caller: Caller, id: string) =>
  db
    .selectFrom('deploymentDevices as device')
    .innerJoin('devices', 'devices.id', 'device.deviceId')
    .leftJoin('deviceCommands as command', 'command.id', 'device.commandId')
    .where('device.deploymentId', '=', id)
    .where(visibleDevices(caller))

const columns = [
  'device.deviceId',
  'devices.hostname',
  'device.batch',
  'device.reason',
  'device.attempt',
  'device.commandId',
  'device.exitCode',
  'device.error',
  'device.updatedAt',
] as const

/** @throws NOT_FOUND */
async function deviceById(db: Db, caller: Caller, id: string, deviceId: string): Promise<DeploymentDevice> {
  const found = await devicesOfDeployment(db, caller, id)
    .where('device.deviceId', '=', deviceId)
    .select(columns)
    .select(status.as('status'))
    .executeTakeFirst()
  if (found === undefined) throw notFound('Device')
  return DeploymentDevice.parse(found)
}

const retried: readonly DeviceStatus[] = ['failed', 'skipped', 'expired']

export default implement(contract, {
  async list(call) {
    const { caller, db, input } = call
    const { id, page, limit, status: wanted, batch, search } = input
    await rowById(call, id)
    const found = devicesOfDeployment(db, caller, id)
      .$if(wanted !== undefined, (query) => query.where(sql<boolean>`${status} = ANY (${[...(wanted ?? [])]})`))
      .$if(batch !== undefined, (query) => query.where('device.batch', '=', batch ?? 0))
      .where(search === undefined ? always : sql<boolean>`strpos(lower(devices.hostname), lower(${search}::text)) > 0`)
      .select(columns)
      .select(status.as('status'))
      .orderBy('device.place')
      .orderBy('device.deviceId')
    const { data, pagination } = await paged(found, { page, limit })
    return { data: data.map((row) => DeploymentDevice.parse(row)), pagination }
  },

  async retry(call) {
    const { caller, db, input } = call
    const row = await changeable(call, input.id)
    const before = await deviceById(db, caller, row.id, input.deviceId)
    requireStep('retry', row.status)
    if (!retried.includes(before.status))
      throw conflict(`The device is ${before.status}. Only one that failed, was skipped or expired is tried again`)
    const approval = await begin(call, row, { step: 'retry', deviceId: before.deviceId })
    const { id: target, name, orgId, partnerId } = row
    const details = { deviceId: before.deviceId, was: before.status }
    if (approval === null) call.audit({ target, name, orgId, partnerId, action: 'deployment.retry', details })
    return { ...(await deviceById(db, caller, row.id, before.deviceId)), approval }
  },
})
