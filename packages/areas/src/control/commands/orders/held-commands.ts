// Commands that maintenance windows hold back.
import { asSystem, type Db } from '@muster/db/database.ts'
import { AppError } from '@muster/kit/errors.ts'
import type { Services } from '../../../services.ts'
import { countHeldBack, verdictsOf } from '../../maintenance/index.ts'
import type { Verdict } from '../../maintenance/maintenance.contract.ts'
import { commandType } from '../command-registry.ts'
import type { CommandName } from '../commands.contract.ts'

interface Ordered {
  readonly type: CommandName
  readonly respectMaintenance: boolean
}

/** The devices on which windows hold a command back. */
export async function heldCommands(
  db: Db,
  deviceIds: readonly string[],
  { type, respectMaintenance }: Ordered,
): Promise<Map<string, Verdict>> {
  const { activity } = commandType(type)
  if (activity === undefined || !respectMaintenance) return new Map()
  const verdicts = await verdictsOf(db, deviceIds, activity)
  return new Map([...verdicts].filter(([, { permitted }]) => !permitted))
}

const subjects = { scripts: 'Scripts', reboots: 'Restarts and shutdowns' } as const

const words = (type: CommandName, verdict: Verdict): string => {
  const subject = subjects[commandType(type).activity ?? 'scripts']
  if (verdict.reason === 'suppressed')
    return `A maintenance window holds ${subject.toLowerCase()} back on this device until ${verdict.until}`
  if (verdict.reason === 'unknown')
    return 'Whether a maintenance window is active for this device is unknown at the moment'
  const next = verdict.nextPermittedAt === null ? '' : `; the next one begins ${verdict.nextPermittedAt}`
  return `${subject} run on this device only during maintenance windows${next}`
}

/** @throws IN_MAINTENANCE, after it was counted */
export async function requirePermitted(
  { system }: Pick<Services, 'system'>,
  type: CommandName,
  verdict: Verdict | undefined,
): Promise<void> {
  if (verdict === undefined) return
  // The transaction of the request ends with the error.
  await asSystem(system, (db) => countHeldCommands(db, type, new Map([['', verdict]])))
  const { reason, windowId, until, nextPermittedAt } = verdict
  throw new AppError('IN_MAINTENANCE', words(type, verdict), { reason, windowId, until, nextPermittedAt })
}

/** Counts in the active occurrences how many commands they held back. */
export async function countHeldCommands(db: Db, type: CommandName, held: ReadonlyMap<string, Verdict>): Promise<void> {
  const { activity } = commandType(type)
  if (activity === undefined) return
  const byWindow = new Map<string, number>()
  for (const { reason, windowId } of held.values())
    if (reason === 'suppressed' && windowId !== null) byWindow.set(windowId, (byWindow.get(windowId) ?? 0) + 1)
  await countHeldBack(db, activity, byWindow)
}
