// Repairs what devices of enforcing policies do not keep: at once, and again after some time.
import { asSystem, type Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { every } from '../../../background/job.ts'
import type { WorkerParts } from '../../../background/worker-parts.ts'
import { commandType, ownerMay } from '../../../control/commands/index.ts'
import { PlanOwner } from '../../../control/commands/plans/owner.contract.ts'
import { recordAsSystem } from '../../../platform/audit/index.ts'
import { attemptsMax, isMassChange, suddenMinutes } from './attempts.rules.ts'
import { Works } from './enforcement.ts'
import { type Due, tryDue } from './try-due.ts'
import { violations } from './violations.queries.ts'

const enforced = sql`p.mode = 'enforce' AND EXISTS (SELECT FROM device_policy_enforcements e
  WHERE e.policy_id = p.id AND e.works ? f.key)`

/** Notes new violations, and forgets those that ended and those of policies that were edited. */
async function noteViolations(db: Db): Promise<void> {
  await sql`WITH found AS MATERIALIZED (${violations(enforced)})
    DELETE FROM device_policy_remediations m USING device_policies p
    WHERE p.id = m.policy_id AND (m.revision <> p.revision OR NOT EXISTS (SELECT FROM found v
      WHERE v.policy_id = m.policy_id AND v.device_id = m.device_id AND v.rule_key = m.rule_key))`.execute(db)
  await sql`INSERT INTO device_policy_remediations (policy_id, device_id, rule_key, org_id, partner_id, revision)
    SELECT v.policy_id, v.device_id, v.rule_key, v.org_id, v.partner_id, p.revision
    FROM (${violations(enforced)}) v JOIN device_policies p ON p.id = v.policy_id AND p.revision = p.queued_revision
    ON CONFLICT DO NOTHING`.execute(db)
}

interface Enforcement {
  readonly policyId: string
  readonly name: string
  readonly partnerId: string
  readonly orgId: string | null
  readonly ownerId: string
  readonly ownedAs: unknown
  readonly works: unknown
  readonly maxRemediationsPerHour: number
  readonly releasedAt: string
  readonly issued: number
}

const isDue = sql`m.next_at <= now() AND (m.deployment_id IS NULL OR NOT EXISTS (SELECT FROM deployments d
  WHERE d.id = m.deployment_id AND d.status NOT IN ('completed', 'cancelled')))`

/** A policy with something to do, locked so that two workers do not do it both. */
async function nextEnforcement(db: Db, done: readonly string[]): Promise<Enforcement | undefined> {
  const { rows } = await sql<Enforcement>`
    SELECT e.policy_id, p.name, e.partner_id, e.org_id, e.owner_id, e.owned_as, e.works, p.max_remediations_per_hour, e.released_at,
      (SELECT count(*)::int FROM unnest(e.issued_at) AS at WHERE at > now() - interval '1 hour') AS issued
    FROM device_policy_enforcements e JOIN device_policies p ON p.id = e.policy_id
    WHERE e.held IS NULL AND e.policy_id <> ALL (${[...done]}::uuid[])
      AND EXISTS (SELECT FROM device_policy_remediations m WHERE m.policy_id = e.policy_id AND ${isDue})
    ORDER BY e.policy_id LIMIT 1 FOR UPDATE OF e SKIP LOCKED`.execute(db)
  return rows[0]
}

async function hold(db: Db, { policyId, name, partnerId, orgId, ownerId }: Enforcement, held: string): Promise<void> {
  await sql`UPDATE device_policy_enforcements SET held = ${held} WHERE policy_id = ${policyId}::uuid`.execute(db)
  await recordAsSystem(db, {
    ...{ action: 'policy.hold', target: policyId, name, partnerId, ...(orgId === null ? {} : { orgId }) },
    details: { reason: held, ownerId },
  })
}

/** Whether many devices violate the policy since a moment ago. */
async function changedSuddenly(db: Db, { policyId, releasedAt }: Enforcement): Promise<boolean> {
  const { rows } = await sql<{ violating: number; devices: number }>`SELECT
      (SELECT count(DISTINCT t.device_id)::int FROM device_policy_transitions t WHERE t.policy_id = ${policyId}::uuid
        AND t.after = 'non_compliant' AND t.at > greatest(${releasedAt}::timestamptz, now() - make_interval(mins => ${suddenMinutes}))) AS violating,
      (SELECT count(*)::int FROM device_policy_sets e JOIN device_policy_states s ON s.set_id = e.id
        WHERE ${policyId}::uuid = ANY (e.applied)) AS devices`.execute(db)
  const [{ violating, devices } = { violating: 0, devices: 0 }] = rows
  return isMassChange(violating, devices)
}

/** @returns what to do after the commit */
async function repair(db: Db, parts: WorkerParts, policy: Enforcement): Promise<readonly (() => Promise<void>)[]> {
  const { policyId, maxRemediationsPerHour, issued } = policy
  await sql`UPDATE device_policy_remediations m SET state = 'remediation_failed', next_at = NULL
    WHERE m.policy_id = ${policyId}::uuid AND m.attempts >= ${attemptsMax} AND ${isDue}`.execute(db)
  if (issued >= maxRemediationsPerHour) return []
  if (await changedSuddenly(db, policy)) {
    await hold(db, policy, 'mass_change')
    return []
  }
  const owner = PlanOwner.parse({ userId: policy.ownerId, place: policy.ownedAs })
  const works = Works.parse(policy.works)
  const needed = Object.values(works).map(({ type }) => commandType(type).permission)
  if ((await ownerMay(db, owner, ['settings:write', ...needed], { deviceIds: [] })) === 'not_permitted') {
    await hold(db, policy, 'owner_not_permitted')
    return []
  }
  const { rows } = await sql<Due>`
    SELECT m.device_id, m.rule_key, m.run_id, m.attempts, d.os_type, coalesce(c.status IN ('pending', 'sent', 'running'), false) AS is_open
    FROM device_policy_remediations m JOIN devices d ON d.id = m.device_id LEFT JOIN device_commands c ON c.id = m.command_id
    WHERE m.policy_id = ${policyId}::uuid AND m.attempts < ${attemptsMax} AND ${isDue}
    ORDER BY m.next_at, m.device_id, m.rule_key LIMIT ${maxRemediationsPerHour - issued} FOR UPDATE OF m SKIP LOCKED`.execute(
    db,
  )
  const tried = await tryDue(db, parts, { policyId, works, owner }, rows)
  await sql`UPDATE device_policy_enforcements SET issued_at =
      ARRAY(SELECT at FROM unnest(issued_at) AS at WHERE at > now() - interval '1 hour') || array_fill(now(), ARRAY[${tried.issued}::int])
    WHERE policy_id = ${policyId}::uuid`.execute(db)
  return tried.afterCommit
}

/** @returns how many policies had something to do */
export async function remediateViolations(parts: WorkerParts): Promise<number> {
  await asSystem(parts.pool, noteViolations)
  const done: string[] = []
  for (;;) {
    const turn = await asSystem(parts.pool, async (db) => {
      const policy = await nextEnforcement(db, done)
      return policy === undefined ? null : { id: policy.policyId, effects: await repair(db, parts, policy) }
    })
    if (turn === null) return done.length
    done.push(turn.id)
    for (const effect of turn.effects) await effect()
  }
}

export const policyRemediation = every(1_000, 'policy-remediation', remediateViolations)
