import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import { requireWorkingOrganization, within } from '../../../tenancy/tenancy/index.ts'

export const keyColumns = [
  'enrollmentKeys.id',
  'enrollmentKeys.orgId',
  'enrollmentKeys.partnerId',
  'enrollmentKeys.siteId',
  'enrollmentKeys.deviceId',
  'enrollmentKeys.name',
  'enrollmentKeys.keyPrefix',
  'enrollmentKeys.usageCount',
  'enrollmentKeys.maxUsage',
  'enrollmentKeys.expiresAt',
  'enrollmentKeys.createdBy',
  'enrollmentKeys.createdAt',
  'enrollmentKeys.updatedAt',
] as const

/** Keys within reach. Members limited to sites see the keys of these sites; members limited to groups see none. */
export const visibleKeys = (db: Db, caller: Caller) =>
  db
    .selectFrom('enrollmentKeys')
    .innerJoin('organizations', 'organizations.id', 'enrollmentKeys.orgId')
    .where('organizations.deletedAt', 'is', null)
    .where(within(caller, 'enrollmentKeys.orgId', 'enrollmentKeys.partnerId'))
    .$if(caller.siteIds !== null, (query) => query.where(isOneOf('enrollmentKeys.siteId', caller.siteIds ?? [])))
    .$if(caller.deviceGroupIds !== null, (query) => query.where((eb) => eb.lit(false)))

/** @throws NOT_FOUND */
export async function keyById(db: Db, caller: Caller, id: string) {
  const key = await visibleKeys(db, caller).where('enrollmentKeys.id', '=', id).select(keyColumns).executeTakeFirst()
  if (key === undefined) throw notFound('Enrollment key')
  return key
}

/** The same for a change. Rejects changes in a suspended or churned organization. */
export async function workingKeyById(db: Db, caller: Caller, id: string) {
  const key = await keyById(db, caller, id)
  await requireWorkingOrganization(db, caller, key.orgId)
  return key
}

/** Deletes the keys that were created for one device. */
export async function deleteKeysOfDevice(db: Db, deviceId: string): Promise<void> {
  await db.deleteFrom('enrollmentKeys').where('deviceId', '=', deviceId).execute()
}
