import { allOf, always, anyOf, type Condition, equals, isNull } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { lockByName } from '@muster/db/lock-by-name.ts'
import type { Caller } from '@muster/kit/access.ts'
import { denied, notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import type { Call } from '../../operation.ts'
import { requireWholeOwner, requireWorkingOrganization, withinOrOfPartner } from '../../tenancy/tenancy/index.ts'
import { StoredScript } from './scripts.contract.ts'
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
export async function scriptById(db: Db, caller: Caller, id: string): Promise<StoredScript> {
  const found = await storedScript(db, caller, id)
  if (found !== undefined) return found
  if ((await systemScript(db, id)) === undefined) throw notFound('Script')
  throw denied('A system script is not changed or run. Import it, and use the copy')
}

/** The lock of a script between transactions that use it and one that deletes it. */
export const lockScript = (db: Db, id: string, as: 'using' | 'deleting'): Promise<void> =>
  lockByName(db, `script ${id}`, as === 'using' ? 'shared' : 'exclusive')

/** The script of what this transaction stores. It is not deleted meanwhile. @throws as `scriptById` */
export async function scriptToUse(db: Db, caller: Caller, id: string): Promise<StoredScript> {
  await lockScript(db, id, 'using')
  return scriptById(db, caller, id)
}

export async function storedScript(db: Db, caller: Caller, id: string): Promise<StoredScript | undefined> {
  const found = await scriptsOf(db, caller)
    .where('scripts.id', '=', id)
    .select(summaryColumns)
    .select([source.as('source'), updateAvailable.as('updateAvailable')])
    .select(['newest.sha256', 'newest.content', 'newest.parameters', 'newest.args', 'newest.timeoutSeconds'])
    .select(['newest.runAs', 'newest.runAsUser'])
    .executeTakeFirst()
  if (found === undefined) return undefined
  return StoredScript.parse(withOrigin(found))
}

/** Locks the script until the transaction ends. @throws NOT_FOUND, FORBIDDEN for callers who may not change it */
export async function changeableScript({ db, caller }: Pick<Call, 'db' | 'caller'>, id: string): Promise<StoredScript> {
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
