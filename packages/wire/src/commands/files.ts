import { z } from 'zod'
import { moment, path } from './fields.ts'

export const fileEntriesMax = 2_000
export const fileChunkBytesMax = 512 * 1024
/** Maximum size of one download or upload. */
export const fileBytesMax = 256 * 1024 * 1024

export const FileEntry = z.object({
  name: z.string(),
  type: z.enum(['file', 'directory', 'symlink', 'other']),
  sizeBytes: z.number(),
  modifiedAt: moment(),
  /** As `ls` writes it, in octal digits. */
  mode: z.string(),
  owner: z.string(),
  group: z.string(),
  /** The target of a symbolic link. */
  target: z.string().nullable(),
})
export type FileEntry = z.infer<typeof FileEntry>

export const ListFiles = z.object({ path: path() })
export const FileList = z.object({ path: z.string(), entries: z.array(FileEntry), truncated: z.boolean() })

export const ReadFile = z.object({
  path: path(),
  offset: z.int().min(0).default(0),
  length: z.int().min(1).max(fileChunkBytesMax).default(fileChunkBytesMax),
  /** The version that earlier chunks came from: refused when the file has changed since. */
  version: z.string().max(100).optional(),
})
/** The chunk itself is in the reply's data. */
export const FilePiece = z.object({ name: z.string(), sizeBytes: z.number(), version: z.string() })

export const WriteFile = z.object({
  path: path(),
  uploadId: z.uuid(),
  offset: z.int().min(0).max(fileBytesMax),
  /** With the last chunk: the file is complete and replaces the target. */
  last: z.boolean(),
  /** Discards what has been written so far. */
  abort: z.boolean().default(false),
  overwrite: z.boolean().default(false),
  mode: z
    .string()
    .regex(/^0?[0-7]{3}$/, { error: 'must be three octal digits such as 640: setuid, setgid and sticky are not set' })
    .optional(),
})
export const WrittenFile = z.object({ path: z.string(), sizeBytes: z.number(), sha256: z.string().nullable() })
