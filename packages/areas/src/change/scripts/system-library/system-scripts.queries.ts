import { allOf, always, type Condition, equals, isNull, never } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { type Page, type Paged, paged } from '@muster/db/page.ts'
import type { Tables } from '@muster/db/tables.ts'
import type { Caller } from '@muster/kit/access.ts'
import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { ScriptParameter } from '../parameters.contract.ts'
import { KeptScript, Script, ScriptSummary } from '../scripts.contract.ts'
import { SystemScript } from './system-scripts.contract.ts'

/** What scripts of tenants have, and those of the system do not. */
const ofNoTenant = {
  ...{ partnerId: null, orgId: null, source: 'system', categoryId: null, sharedWithOrganizations: false },
  ...{ versionId: null, approvedVersionId: null, origin: null, updateAvailable: false, warnings: [], createdBy: null },
} as const

export type StoredSystemScript = Selectable<Tables['systemScripts']>
const Content = z.object({ parameters: z.array(ScriptParameter), args: z.array(z.string()) })

/** What a version of the system script consists of. */
export const contentOfSystemScript = (row: StoredSystemScript) => {
  const { language, content, timeoutSeconds, runAs } = row
  return { ...Content.parse(row), ...{ language, content, timeoutSeconds, runAs }, runAsUser: null }
}

const About = KeptScript.pick({ name: true, description: true, tags: true, osTypes: true, exitCodes: true })
/** What a copy begins with. */
export const aboutSystemScript = (row: StoredSystemScript) => About.parse(row)

export const storedSystemScript = (db: Db, id: string): Promise<StoredSystemScript | undefined> =>
  db.selectFrom('systemScripts').where('id', '=', id).selectAll().executeTakeFirst()

export async function systemScript(db: Db, id: string): Promise<Script | undefined> {
  const found = await storedSystemScript(db, id)
  return found && Script.parse({ ...found, ...ofNoTenant, ...contentOfSystemScript(found), usedBy: [] })
}

interface Wanted {
  readonly search?: string | undefined
  readonly language?: string | undefined
  readonly osType?: string | undefined
  readonly tag?: string | undefined
}

/** Whether a script is among those that a list asks for. */
export function isWanted(table: 'scripts' | 'systemScripts', { search, language, osType, tag }: Wanted): Condition {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  return allOf(
    language === undefined ? always : equals(`${table}.language`, language),
    tag === undefined ? always : sql`${column('tags')} @> ARRAY[${tag}]::text[]`,
    osType === undefined
      ? always
      : sql`(${column('osTypes')} = '{}' OR ${column('osTypes')} @> ARRAY[${osType}]::text[])`,
    search === undefined
      ? always
      : sql`strpos(lower(${column('name')} || ' ' || coalesce(${column('description')}, '')), lower(${search}::text)) > 0`,
  )
}

/** A page of the library in the form of other scripts. They are in no category of a tenant. */
export async function listedSystemScripts(
  db: Db,
  wanted: Wanted & Page,
  categoryId: string | undefined,
): Promise<Paged<ScriptSummary>> {
  const found = db
    .selectFrom('systemScripts')
    .where(isWanted('systemScripts', wanted))
    .where(categoryId === undefined ? always : never)
    .selectAll()
  const { data, pagination } = await paged(found.orderBy('name').orderBy('id'), wanted)
  return { data: data.map((row) => ScriptSummary.parse({ ...row, ...ofNoTenant })), pagination }
}

/** The copies of one owner. */
function copiesOf({ partnerId, orgId }: Caller, wantedOrg: string | undefined): Condition {
  const owner = wantedOrg ?? orgId
  if (owner !== null) return equals('scripts.orgId', owner)
  return partnerId === null ? never : allOf(isNull('scripts.orgId'), equals('scripts.partnerId', partnerId))
}

/** A page of the library, in the order of the keys. */
export async function systemScriptsFor(
  db: Db,
  caller: Caller,
  wanted: Wanted & { readonly orgId?: string | undefined },
  page: Page,
): Promise<Paged<SystemScript>> {
  const found = db
    .selectFrom('systemScripts')
    .leftJoin('scripts', (join) =>
      join
        .onRef('scripts.originId', '=', 'systemScripts.id')
        .on(isNull('scripts.deletedAt'))
        .on(copiesOf(caller, wanted.orgId)),
    )
    .where(isWanted('systemScripts', wanted))
    .selectAll('systemScripts')
    .select(['scripts.id as copyId', 'scripts.originVersion as copyVersion'])
    .orderBy('systemScripts.key')
  const { data, pagination } = await paged(found, page)
  const shown = data.map(({ copyId, copyVersion, ...row }) => {
    const imported =
      copyId === null || copyVersion === null
        ? null
        : { scriptId: copyId, version: copyVersion, updateAvailable: row.version > copyVersion }
    return SystemScript.parse({ ...row, ...ofNoTenant, imported })
  })
  return { data: shown, pagination }
}
