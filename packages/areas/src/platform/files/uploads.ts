// A body on its way into the object store, beside a row that says whose it is.
import type { Db } from '@muster/db/database.ts'
import { type ObjectStore, type PutOptions, StorageError, type StoredObject } from '@muster/files/object-store.ts'
import { AppError, conflict, invalid, unavailable } from '@muster/kit/errors.ts'
import type { Log } from '@muster/kit/log.ts'
import { addPending, deleteFiles, type NewFile, noteStored, type PendingFile } from './files.queries.ts'

/** Runs work in a transaction of its own that reaches the tenant of the file. */
type Transact = <T>(work: (db: Db) => Promise<T>) => Promise<T>

interface UploadParts {
  readonly files: ObjectStore | null
  readonly log: Log
}

/** @throws UNAVAILABLE where the installation has no place for files */
export function requireStore(store: ObjectStore | null): ObjectStore {
  if (store === null) throw unavailable('This installation has no file storage. Set FILES_DIR or FILES_S3_URL')
  return store
}

/**
 * Stores a body. No transaction is open meanwhile, so this may take hours. What fails leaves nothing.
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
    if (!(await transact((db) => noteStored(db, pending.id, stored)))) {
      await store.remove(pending.storageKey)
      throw conflict('The upload expired. Upload the file again')
    }
    return { ...pending, ...stored }
  } catch (error) {
    const failed = (cause: unknown) =>
      log.warn({ err: cause, file: pending.id }, 'a failed upload is left to the sweep')
    await transact((db) => deleteFiles(db, [pending.id])).catch(failed)
    throw refusalOf(error)
  }
}

/** What a caller is told about a body that was not stored. */
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
