// Makes scripts: from what a person writes, a system script or a template.
import { randomUUID } from 'node:crypto'
import { isNullOr } from '@muster/db/conditions.ts'
import { invalid } from '@muster/kit/errors.ts'
import type { Call } from '../../operation.ts'
import type { Tenant } from '../../tenancy/tenancy/index.ts'
import type { StoredScript } from './scripts.contract.ts'
import { scriptById } from './scripts.queries.ts'
import { noteTags } from './stored-tags.ts'
import { insertVersion, statusOfNewVersion, type VersionContent } from './stored-versions.ts'

/** Versions keep the content. The audit log has its hash. */
export const audited = ({ content: _content, warnings: _warnings, ...script }: StoredScript) => script

type Owned = Pick<StoredScript, 'partnerId' | 'orgId' | 'categoryId' | 'sharedWithOrganizations'>

/** @throws VALIDATION_ERROR naming the field that does not fit to the owner */
export async function requireSoundAbout({ db }: Pick<Call, 'db'>, script: Owned): Promise<void> {
  const { partnerId, orgId, categoryId, sharedWithOrganizations } = script
  if (sharedWithOrganizations && orgId !== null)
    throw invalid('sharedWithOrganizations: is only for scripts of the whole partner')
  if (categoryId === null) return
  const category = await db
    .selectFrom('scriptCategories')
    .select('id')
    .where('id', '=', categoryId)
    .where('partnerId', '=', partnerId)
    .where(isNullOr('orgId', orgId))
    .executeTakeFirst()
  if (category === undefined) throw invalid('categoryId: this category does not exist')
}

type About = Pick<StoredScript, 'name' | 'description' | 'tags' | 'osTypes' | 'exitCodes'> &
  Partial<Pick<StoredScript, 'categoryId' | 'sharedWithOrganizations'>> & {
    readonly originId?: string
    readonly originVersion?: number
    /** Of the first version. */
    readonly comment?: string | null
  }

/** Stores a script of the tenant with its first version. */
export async function createScript(
  call: Call,
  { partnerId, orgId }: Tenant,
  { comment = null, categoryId = null, sharedWithOrganizations = false, exitCodes, ...about }: About,
  content: VersionContent,
): Promise<StoredScript> {
  const { caller, db } = call
  const owned = { id: randomUUID(), partnerId, orgId }
  await requireSoundAbout(call, { ...owned, categoryId, sharedWithOrganizations })
  const createdBy = caller.userId
  // The script refers to its version without a foreign key, because the version refers to the script.
  const versionId = randomUUID()
  const status = await statusOfNewVersion(db, partnerId)
  await db
    .insertInto('scripts')
    .values({
      ...owned,
      ...about,
      ...{ categoryId, sharedWithOrganizations, createdBy },
      tags: [...new Set(about.tags)],
      exitCodes: JSON.stringify(exitCodes),
      ...{ language: content.language, version: 1, versionId },
      approvedVersionId: status === 'approved' ? versionId : null,
    })
    .execute()
  await insertVersion(db, owned, content, { id: versionId, version: 1, comment, createdBy, status })
  await noteTags(db, owned, about.tags, createdBy)
  return scriptById(db, caller, owned.id)
}
