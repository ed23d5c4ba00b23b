import { allOf, always, anyOf, type Condition, equals, isNull, isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { denied, notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { openStatuses } from '../../control/commands/commands.rules.ts'
import { visibleDevices } from '../../fleet/devices/index.ts'
import type { Call } from '../../operation.ts'
import { requireWholeOwner, requireWorkingOrganization, withinOrOfPartner } from '../../tenancy/tenancy/index.ts'
import { KeptScript, type Script } from './scripts.contract.ts'
import { systemScript } from './system-library/system-scripts.queries.ts'

/** Scripts of organizations within reach and of the whole partner. Organizations see those that are shared with them. */
export const readableScripts = (caller: Caller): Condition =>
  allOf(
    isNull('scripts.deletedAt'),
    withinOrOfPartner(caller, 'scripts.orgId', 'scripts.partnerId'),
    caller.scope === 'organization'
      ? anyOf(equals('scripts.orgId', caller.orgId), equals('scripts.sharedWithOrganizations', true))
      : always,
  )

export const source = sql<
  'partner' | 'organization'
>`CASE WHEN scripts.org_id IS NULL THEN 'partner' ELSE 'organization' END`

/** Scripts within reach, each with its newest version and its origin. */
export const scriptsOf = (db: Db, caller: Caller) =>
  db
    .selectFrom('scripts')
    .innerJoin('scriptVersions as newest', 'newest.id', 'scripts.versionId')
    .leftJoin('systemScripts as origin', 'origin.id', 'scripts.originId')
    .where(readableScripts(caller))

export const summaryColumns = [
  'scripts.id',
  'scripts.partnerId',
  'scripts.orgId',
  'scripts.name',
  'scripts.description',
  'scripts.categoryId',
  'scripts.tags',
  'scripts.language',
  'scripts.osTypes',
  'scripts.exitCodes',
  'scripts.sharedWithOrganizations',
  'scripts.version',
  'scripts.versionId',
  'scripts.approvedVersionId',
  'scripts.originId',
  'scripts.originVersion',
  'newest.warnings',
  'scripts.createdBy',
  'scripts.createdAt',
  'scripts.updatedAt',
] as const

export const updateAvailable = sql<boolean>`coalesce(origin.version > scripts.origin_version, false)`

interface Imported {
  readonly originId: string | null
  readonly originVersion: number | null
}

/** A row in the form of answers. */
export const withOrigin = <Row extends Imported>({ originId, originVersion, ...row }: Row) => ({
  ...row,
  origin: originId === null ? null : { systemScriptId: originId, version: originVersion },
})

/** The script with its newest version. @throws NOT_FOUND, FORBIDDEN for a system script */
export async function scriptById(db: Db, caller: Caller, id: string): Promise<KeptScript> {
  const found = await keptScript(db, caller, id)
  if (found !== undefined) return found
  if ((await systemScript(db, id)) === undefined) throw notFound('Script')
  throw denied('A system script is not changed or run. Import it, and use the copy')
}

/** A script of a tenant or of the system. @throws NOT_FOUND */
export async function anyScript(db: Db, caller: Caller, id: string): Promise<Script> {
  const found = (await keptScript(db, caller, id)) ?? (await systemScript(db, id))
  if (found === undefined) throw notFound('Script')
  return found
}

async function keptScript(db: Db, caller: Caller, id: string): Promise<KeptScript | undefined> {
  const found = await scriptsOf(db, caller)
    .where('scripts.id', '=', id)
    .select(summaryColumns)
    .select([source.as('source'), updateAvailable.as('updateAvailable')])
    .select(['newest.sha256', 'newest.content', 'newest.parameters', 'newest.args', 'newest.timeoutSeconds'])
    .select(['newest.runAs', 'newest.runAsUser'])
    .executeTakeFirst()
  if (found === undefined) return undefined
  return KeptScript.parse({ ...withOrigin(found), usedBy: await openRuns(db, caller, id) })
}

const shownRuns = 20

/** Runs on devices within reach that have not ended. */
function openRuns(db: Db, caller: Caller, scriptId: string) {
  return db
    .selectFrom('scriptExecutions as run')
    .innerJoin('deviceCommands as command', 'command.id', 'run.commandId')
    .innerJoin('devices', 'devices.id', 'run.deviceId')
    .where(visibleDevices(caller))
    .where('run.scriptId', '=', scriptId)
    .where(isOneOf('command.status', openStatuses))
    .select([sql<'execution'>`'execution'`.as('kind'), 'run.id', 'devices.hostname as name'])
    .orderBy('run.createdAt')
    .limit(shownRuns)
    .execute()
}

/** Locks the script until the transaction ends. @throws NOT_FOUND, FORBIDDEN for callers who may not change it */
export async function changeableScript({ db, caller }: Pick<Call, 'db' | 'caller'>, id: string): Promise<KeptScript> {
  const seen = await scriptById(db, caller, id)
  requireWholeOwner(caller, seen, 'script')
  await requireWorkingOrganization(db, caller, seen.orgId)
  await db.selectFrom('scripts').select('id').where('id', '=', id).forUpdate().execute()
  return scriptById(db, caller, id)
}

/** Moves all scripts of a category, deleted ones too. */
export async function moveScripts(db: Db, from: string, to: string | null): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('scripts')
    .set({ categoryId: to })
    .where('categoryId', '=', from)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
