// Writes request bodies to the object store, each with a row that names its tenant.
import type { Db } from '@muster/db/database.ts'
import { type ObjectStore, type PutOptions, StorageError, type StoredObject } from '@muster/files/object-store.ts'
import { AppError, conflict, invalid, unavailable } from '@muster/kit/errors.ts'
import type { Log } from '@muster/kit/log.ts'
import { addPending, deleteFiles, type NewFile, type PendingFile, recordStored } from './files.queries.ts'

/** Runs work in a separate transaction that reaches the tenant of the file. */
type Transact = <T>(work: (db: Db) => Promise<T>) => Promise<T>

interface UploadParts {
  readonly files: ObjectStore | null
  readonly log: Log
}

/** @throws UNAVAILABLE when no file storage is configured */
export function requireStore(store: ObjectStore | null): ObjectStore {
  if (store === null) throw unavailable('This installation has no file storage. Set FILES_DIR or FILES_S3_URL')
  return store
}

/**
 * Stores a body. No transaction is open meanwhile, so it may take hours. A failed upload leaves nothing.
 * @returns a file that is pending until `keepFile`
 */
export async function storeFile(
  { files, log }: UploadParts,
  transact: Transact,
  file: NewFile,
  body: AsyncIterable<Uint8Array>,
  limits: Omit<PutOptions, 'replace'>,
): Promise<PendingFile & StoredObject> {
  const store = requireStore(files)
  const pending = await transact((db) => addPending(db, file))
  try {
    const stored = await store.put(pending.storageKey, body, limits)
    if (!(await transact((db) => recordStored(db, pending.id, stored)))) {
      await store.remove(pending.storageKey)
      throw conflict('The upload expired. Upload the file again')
    }
    return { ...pending, ...stored }
  } catch (error) {
    const failed = (cause: unknown) => log.warn({ err: cause, file: pending.id }, 'failed upload left to the sweep')
    await transact((db) => deleteFiles(db, [pending.id])).catch(failed)
    throw refusalOf(error)
  }
}

/** The error that a caller gets for a body that could not be stored. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof StorageError)) return error
  switch (error.problem) {
    case 'too_large':
      return new AppError('PAYLOAD_TOO_LARGE', error.message)
    case 'wrong_size':
    case 'wrong_hash':
      return invalid(error.message)
    case 'exists':
      return conflict('The file was stored already')
    case 'no_space':
    case 'unavailable':
      return unavailable('The file storage cannot take the file now. Try again later', 30, error)
  }
}
