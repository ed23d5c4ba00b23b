// How far one account reaches before somebody has to show that it is really in its owner's hands: stolen credentials must not
// be worth a fleet. Looking is free; what changes machines is counted by actor over some minutes.
import { AppError } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { requireRecentSignIn } from '../auth/index.ts'
import type { Call } from '../operation.ts'
import { commandRegistry, commandType } from './command-registry.ts'
import type { CommandName } from './commands.contract.ts'
import type { Target } from './commands.queries.ts'

/** So many devices, or more than one organisation at once, take a recent sign-in. */
export const blastRadius = { devices: 100, organizations: 1, minutes: 10 } as const

const lookingTypes = Object.entries(commandRegistry).flatMap(([name, { risk }]) => (risk === 'look' ? [name] : []))

/**
 * Lets a command go out to these devices when that is within the actor's reach, or when the actor has signed in lately, with
 * the second factor where there is one.
 * @throws FORBIDDEN with `confirm`, or to API keys, which cannot sign in
 */
export async function requireReach(
  call: Call,
  type: CommandName,
  targets: readonly Target[],
  confirmation: { currentPassword?: string | undefined },
): Promise<void> {
  if (commandType(type).risk === 'look') return
  const isWide = new Set(targets.map(({ orgId }) => orgId)).size > blastRadius.organizations
  if (!isWide && (await reachedWith(call, targets)) <= blastRadius.devices) return
  const limits = `more than ${blastRadius.devices} devices in ${blastRadius.minutes} minutes, or several organizations at once`
  if (call.caller.sessionId === null) throw new AppError('FORBIDDEN', `API keys do not reach ${limits}`)
  const { currentPassword } = confirmation
  await requireRecentSignIn(call, currentPassword === undefined ? {} : { currentPassword })
}

/** How many devices the actor would have changed something at lately, with these. */
async function reachedWith({ db, caller }: Call, targets: readonly Target[]): Promise<number> {
  if (targets.length > blastRadius.devices) return targets.length
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM (
      SELECT device_id FROM device_commands
      WHERE created_by = ${caller.userId}::uuid AND created_at > now() - make_interval(mins => ${sql.lit(blastRadius.minutes)})
        AND type <> ALL (${lookingTypes}::text[])
      UNION SELECT unnest(${targets.map(({ id }) => id)}::uuid[])) reached`.execute(db)
  return rows[0]?.count ?? targets.length
}
