// Sends devices the remediations that are due, each once per violation and try.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { WorkerParts } from '../../../background/worker-parts.ts'
import { issueInBackground } from '../../../control/commands/index.ts'
import type { PlanOwner } from '../../../control/commands/plans/owner.contract.ts'
import { verdictsOf } from '../../../control/maintenance/index.ts'
import { pauseMs } from './attempts.rules.ts'
import type { Works } from './enforcement.ts'
import { kindOfWork } from './orders.ts'

export interface Due {
  readonly deviceId: string
  readonly ruleKey: string
  readonly runId: string
  readonly attempts: number
  readonly osType: string | null
  /** Whether the command of the last try has not ended. */
  readonly isOpen: boolean
}

interface Allowed {
  readonly policyId: string
  readonly works: Works
  readonly owner: PlanOwner
}

interface Tried {
  readonly issued: number
  readonly afterCommit: readonly (() => Promise<void>)[]
}

/** These pass by time, so they are no tries. */
const passing: ReadonlySet<string> = new Set([
  'maintenance',
  'commands_stopped',
  'organization_suspended',
  'already_pending',
])
const laterMs = 30_000

interface State {
  readonly due: Due
  readonly state: 'running' | 'held' | 'pending'
  readonly reason: string | null
  readonly commandId: string | null
}

export async function tryDue(db: Db, parts: WorkerParts, allowed: Allowed, due: readonly Due[]): Promise<Tried> {
  const afterCommit: (() => Promise<void>)[] = []
  const ids = [...new Set(due.map(({ deviceId }) => deviceId))]
  const verdicts = await verdictsOf(db, ids, 'scripts')
  const states: State[] = []
  for (const [ruleKey, same] of Map.groupBy(due, (each) => each.ruleKey)) {
    const work = allowed.works[ruleKey]
    if (work === undefined) continue
    const { deviceEnv, left } = await kindOfWork(work).forDevices(
      db,
      work,
      same.map(({ deviceId, osType }) => ({ id: deviceId, osType })),
    )
    const unfit = new Map(left.map(({ deviceId, reason }) => [deviceId, reason]))
    for (const each of same) {
      const { deviceId, runId, attempts, isOpen } = each
      const reason = isOpen
        ? 'already_pending'
        : verdicts.get(deviceId)?.permitted === true
          ? unfit.get(deviceId)
          : 'maintenance'
      if (reason !== undefined) {
        states.push(notSent(each, reason))
        continue
      }
      const { type, payload, timeoutMs, expiresInSeconds, subject, perDevice } = work
      const issued = await issueInBackground(
        db,
        parts,
        {
          ...{ type, payload, timeoutMs, perDevice, respectMaintenance: true, owner: allowed.owner },
          ...(subject === null ? {} : { subject }),
          ...(deviceEnv === undefined ? {} : { deviceEnv }),
          expiresAt: new Date(Date.now() + expiresInSeconds * 1_000).toISOString(),
          origin: { kind: 'policy', id: allowed.policyId, run: runId, step: 0, attempt: attempts + 1 },
        },
        [deviceId],
      )
      const [command] = issued.commands
      afterCommit.push(issued.afterCommit)
      if (command === undefined) states.push(notSent(each, issued.skipped[0]?.reason ?? 'gone'))
      else states.push({ due: each, state: 'running', reason: null, commandId: command.id })
    }
  }
  await store(db, allowed.policyId, states)
  return { issued: states.filter(({ commandId }) => commandId !== null).length, afterCommit }
}

const notSent = (due: Due, reason: string): State => ({
  ...{ due, reason, commandId: null },
  state: passing.has(reason) ? 'held' : 'pending',
})

/** A device that cannot be sent the remediation used a try, unless the obstacle passes by time. */
async function store(db: Db, policyId: string, states: readonly State[]): Promise<void> {
  const counts = ({ state }: State) => state !== 'held'
  const nextAt = (each: State) =>
    new Date(Date.now() + (counts(each) ? pauseMs(each.due.attempts + 1) : laterMs)).toISOString()
  await sql`UPDATE device_policy_remediations m SET state = u.state, reason = u.reason, next_at = u.next_at,
      attempts = m.attempts + u.counts::int, command_id = coalesce(u.command_id, m.command_id)
    FROM unnest(${states.map(({ due }) => due.deviceId)}::uuid[], ${states.map(({ due }) => due.ruleKey)}::text[],
      ${states.map(({ state }) => state)}::text[], ${states.map(({ reason }) => reason)}::text[], ${states.map(nextAt)}::timestamptz[],
      ${states.map(counts)}::boolean[], ${states.map(({ commandId }) => commandId)}::uuid[])
      AS u (device_id, rule_key, state, reason, next_at, counts, command_id)
    WHERE m.policy_id = ${policyId}::uuid AND m.device_id = u.device_id AND m.rule_key = u.rule_key`.execute(db)
}
