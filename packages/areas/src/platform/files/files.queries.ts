// Rows of stored files. A file is pending while it is uploaded, then ready. After its deletion the sweep removes it.
import { randomUUID } from 'node:crypto'
import type { Db } from '@muster/db/database.ts'
import type { StoredObject } from '@muster/files/object-store.ts'
import { conflict } from '@muster/kit/errors.ts'
import { sql } from 'kysely'

export interface NewFile {
  /** Both null for a file of the installation, which only system scope reaches. */
  readonly partnerId: string | null
  readonly orgId: string | null
  /** The purpose of the file, as a noun: `report`, `software`, `transfer`. */
  readonly purpose: string
  readonly ownerId?: string | null
  readonly name: string
  readonly contentType?: string
  readonly createdBy: string | null
}

export interface PendingFile {
  readonly id: string
  readonly storageKey: string
}

export interface ReadyFile extends PendingFile, StoredObject {
  readonly name: string
  readonly contentType: string
  readonly createdAt: string
}

/** Creates the row before the object is written, so that the sweep finds the object after a crash. */
export async function addPending(db: Db, file: NewFile): Promise<PendingFile> {
  const id = randomUUID()
  const storageKey = `files/${id.slice(0, 2)}/${id}`
  const contentType = file.contentType ?? 'application/octet-stream'
  await db
    .insertInto('files')
    .values({ ...file, id, storageKey, contentType })
    .execute()
  return { id, storageKey }
}

/** Records size and hash of the stored object. @returns false when the row was deleted or expired meanwhile */
export async function recordStored(db: Db, id: string, { size, sha256 }: StoredObject): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('files')
    .set({ size, sha256, updatedAt: sql`now()`, expiresAt: sql`now() + interval '1 day'` })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Makes a stored file visible. Call it in the transaction that writes the row that refers to it.
 * @param expiresAt when the file is removed; null keeps it
 * @throws CONFLICT when the file is not pending
 */
export async function keepFile(db: Db, id: string, expiresAt: string | null): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('files')
    .set({ state: 'ready', expiresAt, updatedAt: sql`now()` })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('size', 'is not', null)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw conflict('The upload expired. Upload the file again')
}

/** Hides files at once. The next sweep removes the objects. */
export async function deleteFiles(db: Db, ids: readonly string[]): Promise<void> {
  await db
    .updateTable('files')
    .set({ state: 'deleted', updatedAt: sql`now()` })
    .where('id', '=', sql<string>`ANY (${[...ids]}::uuid[])`)
    .where('state', '<>', 'deleted')
    .execute()
}

/** Null when the file is out of the caller's reach, not ready, or expired. */
export async function readyFile(db: Db, id: string): Promise<ReadyFile | null> {
  const found = await db
    .selectFrom('files')
    .select(['id', 'storageKey', 'name', 'contentType', 'size', 'sha256', 'createdAt'])
    .where('id', '=', id)
    .where('state', '=', 'ready')
    .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', sql<string>`now()`)]))
    .executeTakeFirst()
  if (found === undefined || found.size === null || found.sha256 === null) return null
  return { ...found, size: found.size, sha256: found.sha256 }
}
