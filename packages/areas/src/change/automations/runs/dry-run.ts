// What a run would do, without doing it.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { visibleDevices } from '../../../fleet/devices/index.ts'
import type { Call } from '../../../operation.ts'
import type { Automation } from '../automations.contract.ts'
import type { RunDevice } from './actions/action-kind.ts'
import { hideHeaders } from './actions/headers.ts'
import { isPerDevice } from './actions/index.ts'
import { rendered } from './actions/templates.ts'
import { devicesById, drawDevices } from './engine/devices.ts'
import { scopeOf } from './engine/scope.ts'

interface Planned {
  readonly step: number
  readonly type: string
  readonly tasks: readonly {
    readonly deviceId: string | null
    readonly detail: object | null
    readonly error: string | null
  }[]
}

/** Stores a run that only shows what each device would get. */
export async function storeDryRun(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  automation: Automation,
  runId: string,
  deviceIds: readonly string[] | null,
): Promise<void> {
  const { id, partnerId, orgId, conditions, maxDevicesPerRun } = automation
  const actions = hideHeaders(automation.actions)
  const isNeeded = actions.some(isPerDevice) || deviceIds !== null
  const drawn = isNeeded
    ? await drawDevices(db, { partnerId, orgId, conditions, deviceIds }, maxDevicesPerRun + 1, visibleDevices(caller))
    : []
  const isTooMany = drawn.length > maxDevicesPerRun
  const isNone = isNeeded && drawn.length === 0
  const reason = isTooMany ? 'too_many_devices' : isNone ? 'no_devices' : null
  const status = isTooMany ? 'failed' : isNone ? 'skipped' : 'completed'
  await sql`INSERT INTO automation_runs (id, automation_id, partner_id, org_id, triggered_by, trigger_key, status, reason, dry_run,
      device_ids, requested_by, due_at, started_at, finished_at)
    VALUES (${runId}::uuid, ${id}::uuid, ${partnerId}::uuid, ${orgId}::uuid, 'manual', ${`manual:${runId}`}, ${status}, ${reason}, true,
      ${deviceIds === null ? null : [...deviceIds]}::uuid[], ${caller.userId}::uuid, NULL, now(), now())`.execute(db)
  if (reason !== null) return
  const devices = [...(await devicesById(db, drawn)).values()]
  await sql`INSERT INTO automation_run_devices (run_id, device_id, automation_id, partner_id, org_id, status, reason)
    SELECT ${runId}::uuid, unnest(${drawn}::uuid[]), ${id}::uuid, ${partnerId}::uuid, ${orgId}::uuid, 'skipped', 'dry_run'`.execute(
    db,
  )
  const steps = actions.map((action, index): Planned => {
    const targets: readonly (RunDevice | null)[] = isPerDevice(action) ? devices : [null]
    const tasks = targets.map((device) => {
      const given = rendered(
        action,
        scopeOf({ id: runId, automationId: id, event: null, body: null }, automation, device),
      )
      const deviceId = device?.id ?? null
      return 'fault' in given
        ? { deviceId, detail: null, error: given.fault }
        : { deviceId, detail: given.action, error: null }
    })
    return { step: index + 1, type: action.type, tasks }
  })
  await storeSteps(db, { runId, partnerId, orgId }, steps)
}

async function storeSteps(
  db: Db,
  { runId, partnerId, orgId }: { readonly runId: string; readonly partnerId: string; readonly orgId: string | null },
  steps: readonly Planned[],
): Promise<void> {
  await sql`INSERT INTO automation_steps (run_id, number, partner_id, org_id, type, status, finished_at)
    SELECT ${runId}::uuid, number, ${partnerId}::uuid, ${orgId}::uuid, type, 'planned', now()
    FROM unnest(${steps.map(({ step }) => step)}::int[], ${steps.map(({ type }) => type)}::text[]) AS u(number, type)`.execute(
    db,
  )
  const tasks = steps.flatMap(({ step, tasks: own }) => own.map((task) => ({ step, ...task })))
  await sql`INSERT INTO automation_step_devices (run_id, step, device_id, partner_id, org_id, status, due_at, error, detail)
    SELECT ${runId}::uuid, step, device_id, ${partnerId}::uuid, ${orgId}::uuid,
      CASE WHEN error IS NULL THEN 'planned' ELSE 'failed' END, NULL, error, detail
    FROM unnest(${tasks.map(({ step }) => step)}::int[], ${tasks.map(({ deviceId }) => deviceId)}::uuid[],
      ${tasks.map(({ error }) => error)}::text[],
      ${tasks.map(({ detail }) => (detail === null ? null : JSON.stringify(detail)))}::jsonb[]) AS u(step, device_id, error, detail)`.execute(
    db,
  )
}
