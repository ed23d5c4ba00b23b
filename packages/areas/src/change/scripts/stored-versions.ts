import { createHash, randomUUID } from 'node:crypto'
import type { Db } from '@muster/db/database.ts'
import { conflict, invalid } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { wantsSecondPerson } from '../../control/commands/index.ts'
import { faultOfDefinition } from './parameters.ts'
import type { StoredScript } from './scripts.contract.ts'
import { warningsOf } from './warnings/script-warnings.ts'

/** What a version consists of. */
export type VersionContent = Pick<
  StoredScript,
  'language' | 'content' | 'parameters' | 'args' | 'timeoutSeconds' | 'runAs' | 'runAsUser'
>

export const contentOf = ({
  language,
  content,
  parameters,
  args,
  timeoutSeconds,
  runAs,
  runAsUser,
}: VersionContent): VersionContent => ({ language, content, parameters, args, timeoutSeconds, runAs, runAsUser })

interface Owned {
  readonly id: string
  readonly partnerId: string
  readonly orgId: string | null
}

interface Made {
  readonly id: string
  readonly version: number
  readonly comment: string | null
  readonly createdBy: string
  readonly status: VersionStatus
}

type VersionStatus = 'approved' | 'pending_approval'

/** Where a partner wants a second person, another one approves each version before it runs. */
export const statusOfNewVersion = async (db: Db, partnerId: string): Promise<VersionStatus> =>
  (await wantsSecondPerson(db, [partnerId])) ? 'pending_approval' : 'approved'

/** Stores a version, to which the row of its script refers. */
export async function insertVersion(
  db: Db,
  { id: scriptId, partnerId, orgId }: Owned,
  given: VersionContent,
  made: Made,
): Promise<void> {
  requireSoundContent(given)
  const { parameters, args, ...plain } = contentOf(given)
  await db
    .insertInto('scriptVersions')
    .values({
      ...plain,
      ...made,
      ...{ scriptId, partnerId, orgId },
      sha256: createHash('sha256').update(given.content).digest('hex'),
      parameters: JSON.stringify(parameters),
      args: JSON.stringify(args),
      warnings: JSON.stringify(await warningsOf(given)),
    })
    .execute()
}

/** Adds a version to a locked script, which becomes its newest. @returns the id of the version */
export async function addVersion(
  db: Db,
  script: StoredScript,
  given: VersionContent,
  by: Pick<Made, 'comment' | 'createdBy'>,
): Promise<string> {
  const id = randomUUID()
  const version = script.version + 1
  const status = await statusOfNewVersion(db, script.partnerId)
  await insertVersion(db, script, given, { ...by, id, version, status })
  await db
    .updateTable('scripts')
    .set({ language: given.language, version, versionId: id })
    .set(status === 'approved' ? { approvedVersionId: id } : {})
    .where('id', '=', script.id)
    .execute()
  return id
}

/** Approves or rejects a version. Executions take an approved one, unless they take a later one already. */
export async function judgeVersion(
  db: Db,
  { id, scriptId }: { readonly id: string; readonly scriptId: string },
  status: 'approved' | 'rejected',
  judgedBy: string,
): Promise<void> {
  await db.updateTable('scriptVersions').set({ status, judgedBy, judgedAt: sql`now()` }).where('id', '=', id).execute()
  if (status === 'rejected') return
  await db
    .updateTable('scripts')
    .set({ approvedVersionId: id })
    .where('id', '=', scriptId)
    .where(
      sql<boolean>`NOT EXISTS (SELECT FROM script_versions taken, script_versions offered
        WHERE taken.id = scripts.approved_version_id AND offered.id = ${id} AND taken.version > offered.version)`,
    )
    .execute()
}

/** @throws CONFLICT when a change is based on another version than the newest */
export function requireNewest(script: Pick<StoredScript, 'version'>, basedOn: number | undefined): void {
  if (basedOn !== undefined && basedOn !== script.version)
    throw conflict(`The script has version ${script.version} by now. Get it and repeat the change`)
}

function requireSoundContent({ parameters, runAs, runAsUser }: VersionContent): void {
  if (runAsUser !== null && runAs !== 'user') throw invalid('runAsUser: is only for scripts that run as a user')
  for (const [index, parameter] of parameters.entries()) {
    const fault = faultOfDefinition(parameter)
    if (fault !== null) throw invalid(`parameters.${index}.${fault}`)
  }
}
