// How far one account reaches before somebody has to show that it is really in its owner's hands, or a second person has to
// agree: stolen credentials must not be worth a fleet. Looking is free; changing machines and reading their content is counted by
// actor: the files of a fleet, its password hashes among them, are worth as much as running programs on it.
import { type Db, inOrder } from '@muster/db/database.ts'
import { AppError } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import type { Call } from '../../../operation.ts'
import { commandRegistry, commandType } from '../command-registry.ts'
import type { CommandName } from '../commands.contract.ts'
import { isOneOfPartners, type Partners, type Target } from '../commands.queries.ts'

/** So many devices, or more than one organisation at once, take a fresh proof. */
export const blastRadius = { devices: 100, organizations: 1, minutes: 10 } as const

const lookingTypes = Object.entries(commandRegistry).flatMap(([name, { risk }]) => (risk === 'look' ? [name] : []))
const lately = sql`now() - make_interval(mins => ${sql.lit(blastRadius.minutes)})`

interface Known {
  readonly db?: Db
  /** What `reachedWith` has said of these devices, where it was asked ahead. */
  readonly reached?: number
  /** What `wantsSecondPerson` has said of their partners, where it was asked ahead. */
  readonly wantsSecond?: boolean
}

/**
 * Lets a command go out to these devices when that is within the actor's reach, or when the actor proves again who it is.
 * @returns whether a second person has to agree, because a partner of the devices wants that of what reaches far
 * @throws FORBIDDEN with `confirm`, or to API keys, which cannot sign in
 */
export async function reachOf(
  call: Call,
  type: CommandName,
  targets: readonly Target[],
  { db = call.db, reached, wantsSecond }: Known = {},
): Promise<'granted' | 'second person'> {
  if (commandType(type).risk === 'look') return 'granted'
  const isWide = new Set(targets.map(({ orgId }) => orgId)).size > blastRadius.organizations
  const deviceIds = targets.map(({ id }) => id)
  const count = isWide ? Infinity : (reached ?? (await reachedWith(db, call.caller.userId, type, deviceIds)))
  if (count <= blastRadius.devices) return 'granted'
  const limits = `more than ${blastRadius.devices} devices in ${blastRadius.minutes} minutes, or several organizations at once`
  if (call.caller.sessionId === null) throw new AppError('FORBIDDEN', `${call.caller.kindName} do not reach ${limits}`)
  const partnerIds = targets.map(({ partnerId }) => partnerId)
  const [isWanted] = await Promise.all([wantsSecond ?? wantsSecondPerson(db, partnerIds), call.stepUp()])
  return isWanted ? 'second person' : 'granted'
}

/** For what cannot wait for a second person. @throws as `reachOf`, and APPROVAL_REQUIRED where a second person has to agree */
export async function requireReach(
  call: Call,
  type: CommandName,
  targets: readonly Target[],
  known?: Known,
): Promise<void> {
  if ((await reachOf(call, type, targets, known)) === 'granted') return
  throw new AppError(
    'APPROVAL_REQUIRED',
    'This reaches so far that a second person has to approve it. Ask for it as a command to many devices',
    { request: 'POST /devices/bulk/commands' },
  )
}

/**
 * The same for a system tool, which leaves no command behind: that the actor reached the device is noted.
 * @param db of the system, in the transaction that puts it on record
 */
export async function requireToolReach(call: Call, type: CommandName, target: Target, db: Db): Promise<void> {
  if (commandType(type).risk === 'look') return
  const { userId } = call.caller
  await sql`DELETE FROM device_reach WHERE user_id = ${userId} AND at <= ${lately}`.execute(db)
  await sql`INSERT INTO device_reach (user_id, device_id) VALUES (${userId}, ${target.id})
    ON CONFLICT (user_id, device_id) DO UPDATE SET at = now()`.execute(db)
  await requireReach(call, type, [target], { db })
}

/** How many devices the actor would have changed or read from lately, with these. Looking reaches none. */
export async function reachedWith(
  db: Db,
  userId: string,
  type: CommandName,
  deviceIds: readonly string[],
): Promise<number> {
  if (commandType(type).risk === 'look') return 0
  if (deviceIds.length > blastRadius.devices) return deviceIds.length
  // One after the other, so that requests made at once count each other.
  const turn = sql`SELECT pg_advisory_xact_lock(hashtextextended(${`reach ${userId}`}, 0))`
  const counted = sql<{ count: number }>`
    SELECT count(*)::int AS count FROM (
      SELECT device_id FROM device_commands
      WHERE created_by = ${userId}::uuid AND created_at > ${lately} AND type <> ALL (${lookingTypes}::text[])
      UNION SELECT device_id FROM device_reach WHERE user_id = ${userId}::uuid AND at > ${lately}
      UNION SELECT unnest(${[...deviceIds]}::uuid[])) reached`
  const [row] = await inOrder(db, turn, counted)
  return row?.count ?? Infinity
}

/** Whether one of the partners wants that a second person agrees to what reaches far. */
export async function wantsSecondPerson(db: Db, partners: Partners): Promise<boolean> {
  const found = await db
    .selectFrom('partners')
    .select('id')
    .where(isOneOfPartners('id', partners))
    .where(sql<boolean>`settings -> 'secondPerson' = 'true'
      AND (settings #>> '{secondPersonEnds,endsAt}')::timestamptz <= now() IS NOT TRUE`)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
