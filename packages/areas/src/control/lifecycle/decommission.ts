// Takes a device out of its organization, or out of service, with all that belongs to it.
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { sql } from 'kysely'
import { forgetDuplicates, markDecommissioned, moveDeviceTo } from '../../fleet/devices/index.ts'
import { deleteKeysOfDevice } from '../../fleet/enrollment/index.ts'
import type { Call } from '../../operation.ts'
import type { CommandSummary } from '../commands/commands.contract.ts'
import { cancelCommands, type Target, targetById, withdrawApprovals } from '../commands/index.ts'

/** Locks the device until the transaction ends. Its state first, in the order of all writers of both, to avoid deadlocks. */
export async function lockDevice(db: Db, caller: Caller, id: string): Promise<Target> {
  await targetById(db, caller, id)
  await sql`SELECT FROM device_state WHERE device_id = ${id} FOR UPDATE`.execute(db)
  await sql`SELECT FROM devices WHERE id = ${id} FOR UPDATE`.execute(db)
  return targetById(db, caller, id)
}

const movedAway = 'The device moved to another organization'

/**
 * Takes a locked device to another organization. What its machine is and measures follows, by keys or here. What people
 * of the old organization did with it stays with them: open commands are canceled, open approvals are withdrawn.
 * @returns the commands that were canceled
 */
export async function moveDevice(
  call: Call,
  { id, orgId: from }: Pick<Target, 'id' | 'orgId'>,
  place: { readonly orgId: string; readonly siteId: string | null },
): Promise<CommandSummary[]> {
  const { db } = call
  await forgetDuplicates(db, id)
  await withdrawApprovals(call, id, movedAway)
  const cancelled = await cancelCommands(call, { deviceId: id }, movedAway)
  await moveDeviceTo(db, { id, orgId: from }, place)
  await deleteKeysOfDevice(db, id)
  return cancelled
}

/** Decommissions a locked device. @returns the commands that were canceled */
export async function decommissionDevice(call: Call, id: string, now: string): Promise<CommandSummary[]> {
  const { db } = call
  await forgetDuplicates(db, id)
  await markDecommissioned(db, id, now)
  return cancelCommands(call, { deviceId: id }, 'The device was decommissioned')
}
