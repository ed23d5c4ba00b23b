import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { denied, notFound } from '@muster/kit/errors.ts'
import { type Location, requireLocation } from '../../../tenancy/tenancy/index.ts'

/** The organization, when the caller may enroll agents there, and the named site. @returns the partner's ID */
export async function tenantForKey(db: Db, caller: Caller, location: Location): Promise<string> {
  if (caller.deviceGroupIds !== null)
    throw denied('Your membership is limited to device groups, so you cannot enroll devices')
  const { partnerId } = await requireLocation(db, caller, location, { outOfReach: notFound('Site') })
  return partnerId
}
