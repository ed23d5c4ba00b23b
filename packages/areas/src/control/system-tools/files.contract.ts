import { flag, get, raw } from '@muster/kit/contract.ts'
import { FileList, fileBytesMax, ListFiles, WriteFile } from '@muster/wire/commands/files.ts'
import { z } from 'zod'
import { fileAccess as access, base, changing, device, own } from './device.contract.ts'

const { path } = ListFiles.shape

export const files = {
  list: get(`${base}/files`, {
    summary: 'List the content of a folder on a device',
    access,
    ...own,
    input: z.object({ ...device, path: path.default('/') }),
    output: FileList,
  }),
  download: raw('GET', `${base}/files/download`, {
    summary: 'Download a file from a device',
    access,
    audit: 'device.file.read',
    ...changing,
    answers: [206, 304, 416],
    input: z.object({ ...device, path }),
    produces: 'application/octet-stream',
  }),
  upload: raw('POST', `${base}/files/upload`, {
    summary:
      'Upload the request body to a file on a device. The file is replaced when all of it has arrived. The response ' +
      'is `{ path, sizeBytes, sha256 }`',
    access,
    audit: 'device.file.write',
    ...changing,
    bodyBytesMax: fileBytesMax,
    consumes: 'application/octet-stream',
    status: 201,
    input: z.object({
      ...device,
      path,
      overwrite: flag().default(false),
      mode: WriteFile.shape.mode,
      /** Without it, an empty request is rejected: usually its body was lost. */
      empty: flag().default(false),
    }),
    produces: 'application/json',
  }),
}
