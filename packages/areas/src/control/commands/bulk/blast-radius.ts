// Limits how many devices one account reaches without a fresh proof of identity or a second person, so that stolen credentials
// do not give control of a fleet. Looking is free. Changing machines and reading their content count, because files of a fleet,
// such as password hashes, are worth as much as running programs on it.
import { consecutively, type Db } from '@muster/db/database.ts'
import { AppError } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import type { Call } from '../../../operation.ts'
import { commandRegistry, commandType } from '../command-registry.ts'
import type { CommandName } from '../commands.contract.ts'
import { isOneOfPartners, type Partners, type Target } from '../commands.queries.ts'

/** Commands to more devices, or to more than one organization at once, require a fresh proof. */
export const blastRadius = { devices: 100, organizations: 1, minutes: 10 } as const

const lookingTypes = Object.entries(commandRegistry).flatMap(([name, { risk }]) => (risk === 'look' ? [name] : []))
/** Since when devices count. */
export const lately = sql`now() - make_interval(mins => ${sql.lit(blastRadius.minutes)})`

interface Known {
  readonly db?: Db
  /** The result of `reachedWith`, if known already. */
  readonly reached?: number
  /** The result of `wantsSecondPerson`, if known already. */
  readonly wantsSecond?: boolean
}

/**
 * Allows a command to these devices within the limits, or after a fresh proof.
 * @returns whether a second person must approve it, because a partner of the devices requires that
 * @throws FORBIDDEN with `confirm`, or to API keys, which cannot sign in
 */
export async function judgeReach(
  call: Call,
  type: CommandName,
  targets: readonly Target[],
  { db = call.db, reached, wantsSecond }: Known = {},
): Promise<'granted' | 'second person'> {
  if (commandType(type).risk === 'look') return 'granted'
  const isWide = new Set(targets.map(({ orgId }) => orgId)).size > blastRadius.organizations
  const deviceIds = targets.map(({ id }) => id)
  const count = isWide ? Infinity : (reached ?? (await reachedWith(db, call.caller.userId, type, deviceIds)))
  return allowReach(call, { db, count, wantsSecond, partnerIds: targets.map(({ partnerId }) => partnerId) })
}

interface Reaching {
  readonly db: Db
  /** Infinity for several organizations at once. */
  readonly count: number
  readonly partnerIds: readonly string[]
  readonly wantsSecond?: boolean | undefined
}

/** Allows a number of devices within the limits, or after a fresh proof. @returns, @throws as `judgeReach` */
export async function allowReach(
  call: Call,
  { db, count, partnerIds, wantsSecond }: Reaching,
): Promise<'granted' | 'second person'> {
  if (count <= blastRadius.devices) return 'granted'
  const limits = `more than ${blastRadius.devices} devices in ${blastRadius.minutes} minutes, or several organizations at once`
  if (call.caller.sessionId === null) throw new AppError('FORBIDDEN', `${call.caller.kindName} do not reach ${limits}`)
  const [isWanted] = await Promise.all([wantsSecond ?? wantsSecondPerson(db, partnerIds), call.stepUp()])
  return isWanted ? 'second person' : 'granted'
}

/** For commands that cannot wait for a second person. @throws as `judgeReach`, and APPROVAL_REQUIRED if one must approve */
export async function requireReach(
  call: Call,
  type: CommandName,
  targets: readonly Target[],
  known?: Known,
): Promise<void> {
  if ((await judgeReach(call, type, targets, known)) === 'granted') return
  throw new AppError(
    'APPROVAL_REQUIRED',
    'This reaches so far that a second person has to approve it. Ask for it as a command to many devices',
    { request: 'POST /devices/bulk/commands' },
  )
}

/**
 * The same for a system tool. It stores no command, so the reached device is noted.
 * @param db of the system login, in the transaction of the audit record
 */
export async function requireToolReach(call: Call, type: CommandName, target: Target, db: Db): Promise<void> {
  if (commandType(type).risk === 'look') return
  const { userId } = call.caller
  await sql`DELETE FROM device_reach WHERE user_id = ${userId} AND at <= ${lately}`.execute(db)
  await sql`INSERT INTO device_reach (user_id, device_id) VALUES (${userId}, ${target.id})
    ON CONFLICT (user_id, device_id) DO UPDATE SET at = now()`.execute(db)
  await requireReach(call, type, [target], { db })
}

/** How many devices the actor changed or read lately, including these. Looking counts none. */
export async function reachedWith(
  db: Db,
  userId: string,
  type: CommandName,
  deviceIds: readonly string[],
): Promise<number> {
  return commandType(type).risk === 'look' ? 0 : reachedLately(db, userId, deviceIds)
}

/** How many devices the actor changed or read lately, including these and those of plans. @param except a plan that is counted otherwise */
export async function reachedLately(
  db: Db,
  userId: string,
  deviceIds: readonly string[],
  except: string | null = null,
): Promise<number> {
  if (deviceIds.length > blastRadius.devices) return deviceIds.length
  // Consecutively, so that concurrent requests count each other.
  const turn = sql`SELECT pg_advisory_xact_lock(hashtextextended(${`reach ${userId}`}, 0))`
  const counted = sql<{ count: number }>`
    SELECT count(*)::int + (SELECT coalesce(sum(devices), 0)::int FROM plan_reach
      WHERE user_id = ${userId}::uuid AND at > ${lately} AND plan_id IS DISTINCT FROM ${except}::uuid) AS count FROM (
      SELECT device_id FROM device_commands
      WHERE created_by = ${userId}::uuid AND created_at > ${lately} AND origin IS NULL AND type <> ALL (${lookingTypes}::text[])
      UNION SELECT device_id FROM device_reach WHERE user_id = ${userId}::uuid AND at > ${lately}
      UNION SELECT unnest(${[...deviceIds]}::uuid[])) reached`
  const [row] = await consecutively(db, turn, counted)
  return row?.count ?? Infinity
}

/** Whether one of the partners requires a second person. */
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
