// What other areas may use of files in the object store.
export { serveDownload } from './downloads.ts'
export { deleteFiles, keepFile, readyFile } from './files.queries.ts'
export { requireStore, storeFile } from './uploads.ts'
