// The tags of scripts. A tag belongs to the owner of its scripts.
import type { Db } from '@muster/db/database.ts'
import { notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'

interface Owner {
  readonly partnerId: string
  readonly orgId: string | null
}

/** Makes rows of tags that have none. */
export async function noteTags(
  db: Db,
  { partnerId, orgId }: Owner,
  tags: readonly string[],
  createdBy: string,
): Promise<void> {
  if (tags.length === 0) return
  // In order, so that two writers do not deadlock.
  await db
    .insertInto('scriptTags')
    .values([...new Set(tags)].sort().map((name) => ({ partnerId, orgId, name, createdBy })))
    .onConflict((row) => row.doNothing())
    .execute()
}

export const insertTag = (
  db: Db,
  tag: Owner & { readonly name: string; readonly description: string | null; readonly createdBy: string },
) => db.insertInto('scriptTags').values(tag).returningAll().executeTakeFirstOrThrow()

/** Deletes a tag and takes it off the scripts of its owner. @returns how many had it @throws NOT_FOUND */
export async function removeTag(
  db: Db,
  { id, partnerId, orgId, name }: Owner & { readonly id: string; readonly name: string },
): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('scriptTags').where('id', '=', id).executeTakeFirst()
  if (numDeletedRows === 0n) throw notFound('Tag')
  const { numUpdatedRows } = await db
    .updateTable('scripts')
    .set({ tags: sql`array_remove(tags, ${name})` })
    .where('partnerId', '=', partnerId)
    .where(sql<boolean>`org_id IS NOT DISTINCT FROM ${orgId}::uuid`)
    .where(sql<boolean>`tags @> ARRAY[${name}]::text[]`)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
