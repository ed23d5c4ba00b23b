import type { ObjectStore } from '@muster/files/object-store.ts'
import { serveParts } from '@muster/kit/body/ranges.ts'
import type { RawAnswer, Request } from '@muster/kit/call.ts'
import { notFound } from '@muster/kit/errors.ts'
import type { ReadyFile } from './files.queries.ts'

/** Serves a file as an attachment: all of it, a range, or 304 when the caller has it already. */
export function serveDownload(request: Request, store: ObjectStore, file: ReadyFile): RawAnswer {
  const headers = {
    'content-type': file.contentType,
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
    'cache-control': 'private, no-cache',
  }
  return serveParts(request, {
    tag: file.sha256,
    headers,
    size: file.size,
    read: (range) => ({
      async open() {
        const body = await store.stream(file.storageKey, range)
        if (body === null) throw notFound('File')
        return body
      },
    }),
  })
}
