// Devices that may be one machine twice: they say the same machine id, and nothing has proved that they are one.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { tellAdministrators } from './device-notices.ts'
import type { Registered } from './registration.ts'

/** Of notices of one organisation within so long, one is mailed: whoever installs a hundred machines anew need not hear of each. */
const mailEveryMinutes = 60

/** Notes on both sides that a device may be the same machine as others, and mails that to those who can tell. */
export async function noteDuplicates(
  db: Db,
  device: Registered & { readonly hostname: string },
  twins: readonly string[],
  { publicUrl, at }: { readonly publicUrl: string; readonly at: string },
): Promise<void> {
  const { id, orgId, partnerId } = device
  const pairs = twins.flatMap((twin) => [
    { deviceId: id, twinId: twin, orgId, partnerId },
    { deviceId: twin, twinId: id, orgId, partnerId },
  ])
  await db
    .insertInto('deviceDuplicates')
    .values(pairs)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const told = await db
    .selectFrom('mailOutbox')
    .select('id')
    .where('orgId', '=', orgId)
    .where('template', '=', 'device-duplicate')
    .where('createdAt', '>', sql<string>`now() - make_interval(mins => ${mailEveryMinutes})`)
    .limit(1)
    .executeTakeFirst()
  if (told === undefined) await tellAdministrators(db, publicUrl, { template: 'device-duplicate', device, at })
}

/** A person has said that a device and another one (or all that it was taken for) are different machines. @returns those */
export async function dismissDuplicates(
  db: Db,
  id: string,
  twin: string | undefined,
  by: { readonly userId: string; readonly at: string },
): Promise<string[]> {
  const dismissed = await db
    .updateTable('deviceDuplicates')
    .set({ dismissedAt: by.at, dismissedBy: by.userId })
    .where('dismissedAt', 'is', null)
    .where((eb) =>
      eb.or([
        eb.and([eb('deviceId', '=', id), ...(twin === undefined ? [] : [eb('twinId', '=', twin)])]),
        eb.and([eb('twinId', '=', id), ...(twin === undefined ? [] : [eb('deviceId', '=', twin)])]),
      ]),
    )
    .returning(['deviceId', 'twinId'])
    .execute()
  return [...new Set(dismissed.flatMap(({ deviceId, twinId }) => [deviceId, twinId]))].filter((each) => each !== id)
}

/** A device that leaves its organisation or the fleet is nobody's twin any more. */
export async function forgetDuplicates(db: Db, id: string): Promise<void> {
  await db
    .deleteFrom('deviceDuplicates')
    .where((eb) => eb.or([eb('deviceId', '=', id), eb('twinId', '=', id)]))
    .execute()
}
