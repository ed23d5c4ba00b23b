// Rows of files in the object store. A file is pending while its bytes arrive, then ready, and deleted until it is swept.
import { randomUUID } from 'node:crypto'
import type { Db } from '@muster/db/database.ts'
import type { StoredObject } from '@muster/files/object-store.ts'
import { conflict } from '@muster/kit/errors.ts'
import { sql } from 'kysely'

export interface NewFile {
  /** Both null: a file of the installation, which only system scope reaches. */
  readonly partnerId: string | null
  readonly orgId: string | null
  /** What the file is for, as a noun: `report`, `software`, `transfer`. */
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

/** The row comes before the bytes, so that the sweep finds what a crash leaves. */
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

/** Notes what is in the store. @returns false when the row is gone or expired meanwhile */
export async function noteStored(db: Db, id: string, { size, sha256 }: StoredObject): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('files')
    .set({ size, sha256, updatedAt: sql`now()`, expiresAt: sql`now() + interval '1 day'` })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Makes a stored file visible, in the transaction that writes what it belongs to.
 * @param expiresAt when it is removed; null keeps it
 * @throws CONFLICT when it is not waiting to be kept
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

/** Hides files from now on. Their bytes go with the next sweep. */
export async function deleteFiles(db: Db, ids: readonly string[]): Promise<void> {
  await db
    .updateTable('files')
    .set({ state: 'deleted', updatedAt: sql`now()` })
    .where('id', '=', sql<string>`ANY (${[...ids]}::uuid[])`)
    .where('state', '<>', 'deleted')
    .execute()
}

/** Null when the caller does not reach it, or it is not ready or has expired. */
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
