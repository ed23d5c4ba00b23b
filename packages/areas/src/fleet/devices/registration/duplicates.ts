// Possible duplicates: devices with the same machine ID that are not proven to be the same machine.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { tellAdministrators } from './device-notices.ts'
import type { Registered } from './registration.ts'

/** At most one mail per organization in this time, so that reinstalling a hundred machines does not send a hundred mails. */
const mailEveryMinutes = 60

/** Records on both devices that they may be the same machine, and mails the administrators. */
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

/** Dismisses that a device and another one (or all of its duplicates) are the same machine. @returns those devices */
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

/** Removes the notices of a device that leaves its organization or the fleet. */
export async function forgetDuplicates(db: Db, id: string): Promise<void> {
  await db
    .deleteFrom('deviceDuplicates')
    .where((eb) => eb.or([eb('deviceId', '=', id), eb('twinId', '=', id)]))
    .execute()
}
