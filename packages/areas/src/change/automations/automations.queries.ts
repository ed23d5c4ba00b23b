import { allOf, type Condition, never } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import type { Call } from '../../operation.ts'
import { isLimited, requireWholeOwner, requireWorkingOrganization, within } from '../../tenancy/tenancy/index.ts'
import { Automation } from './automations.contract.ts'
import { hideHeaders } from './runs/actions/headers.ts'

export const columns = [
  'automations.id',
  'automations.partnerId',
  'automations.orgId',
  'automations.name',
  'automations.description',
  'automations.enabled',
  'automations.status',
  'automations.statusReason',
  'automations.trigger',
  'automations.conditions',
  'automations.actions',
  'automations.onFailure',
  'automations.overlap',
  'automations.maxDevicesPerRun',
  'automations.maxRunsPerHour',
  'automations.cooldownSeconds',
  'automations.respectMaintenance',
  'automations.nextRunAt',
  'automations.lastRunAt',
  'automations.ownerId',
  'automations.createdBy',
  'automations.createdAt',
  'automations.updatedAt',
] as const

/** The versions of its scripts. */
export const scripts = sql<Automation['scripts']>`coalesce((SELECT jsonb_agg(jsonb_build_object('number', w.number,
    'scriptId', w.script_id, 'versionId', w.work #>> '{subject,versionId}', 'version', w.work #> '{subject,version}',
    'updateAvailable', coalesce(s.approved_version_id::text <> w.work #>> '{subject,versionId}', false)) ORDER BY w.number)
  FROM automation_works w LEFT JOIN scripts s ON s.id = w.script_id
  WHERE w.automation_id = automations.id AND w.script_id IS NOT NULL), '[]')`

/**
 * Automations of organizations within reach, and those of the partner for callers who reach all of it, because they act on
 * all devices. Members limited to sites or groups see none.
 */
export const visibleAutomations = (caller: Caller): Condition =>
  isLimited(caller) ? never : allOf(within(caller, 'automations.orgId', 'automations.partnerId'))

/** An automation as it is stored: the values of headers are sealed. */
export async function storedAutomation(db: Db, caller: Caller, id: string): Promise<Automation> {
  const found = await db
    .selectFrom('automations')
    .select(columns)
    .select(scripts.as('scripts'))
    .where('automations.id', '=', id)
    .where(visibleAutomations(caller))
    .executeTakeFirst()
  if (found === undefined) throw notFound('Automation')
  return Automation.parse(found)
}

/** An automation as answers show it. */
export const shown = (stored: Automation): Automation => ({ ...stored, actions: hideHeaders(stored.actions) })

/** Locks the automation until the transaction ends. @throws NOT_FOUND, FORBIDDEN for callers who may not change it */
export async function changeableAutomation(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  id: string,
): Promise<Automation> {
  const seen = await storedAutomation(db, caller, id)
  requireWholeOwner(caller, seen, 'automation')
  await requireWorkingOrganization(db, caller, seen.orgId)
  await db.selectFrom('automations').select('id').where('id', '=', id).forUpdate().execute()
  return storedAutomation(db, caller, id)
}
