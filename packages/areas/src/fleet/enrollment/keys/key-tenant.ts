import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { denied, notFound } from '@muster/kit/errors.ts'
import { type Location, requireLocation } from '../../../tenancy/tenancy/index.ts'

/** The organisation, when the caller may let agents into it, and its site, when one is named. @returns the partner's id */
export async function tenantForKey(db: Db, caller: Caller, location: Location): Promise<string> {
  if (caller.deviceGroupIds !== null) throw denied('You are limited to device groups and cannot let devices in')
  const { partnerId } = await requireLocation(db, caller, location, { outOfReach: notFound('Site') })
  return partnerId
}
