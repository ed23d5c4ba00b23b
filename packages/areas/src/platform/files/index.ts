// The functions of stored files that other areas may use.
export { serveDownload } from './downloads.ts'
export { deleteFiles, keepFile, readyFile } from './files.queries.ts'
export { requireStore, storeFile } from './uploads.ts'
