// The text of an HTTP response without values that differ every time, for comparison with a later response.

import type { createServer } from '@muster/admin/server.ts'
import type { Operation } from '@muster/areas/operation.ts'

type Server = Awaited<ReturnType<typeof createServer>>
type Response = Awaited<ReturnType<Server['inject']>>

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** The request that carries an input over REST. */
function requestFor({ endpoint: { method, path } }: Operation, input: object) {
  const rest: Record<string, unknown> = { ...input }
  const url = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = rest[name]
    delete rest[name]
    return encodeURIComponent(isPlain(value) ? String(value) : 'missing')
  })
  if (method !== 'GET' && method !== 'DELETE') return { method, url: `/api/v1${url}`, payload: rest }
  const query = Object.entries(rest).flatMap(([name, value]) =>
    [value].flat().map((each) => `${name}=${encodeURIComponent(String(each))}`),
  )
  return { method, url: `/api/v1${url}${query.length > 0 ? `?${query.join('&')}` : ''}` }
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
const moment = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})/g
/** Keys, prefixes of keys, and short enrollment codes. */
const secret =
  /whsec_[\w+/=]+|\b(m[se]k|scim)_[\w-]{6,}|\b[\w-]{40,}(\.[\w-]+)*|\b[2-9A-HJ-NP-Z]{5}-[2-9A-HJ-NP-Z]{5}\b/g

/** @param known ids that stay unchanged; other ids are numbered in order of appearance */
export function withoutVolatile(text: string, known: ReadonlySet<string>): string {
  const met = new Map<string, string>()
  return text
    .replaceAll(uuid, (id) => {
      if (known.has(id)) return id
      const name = met.get(id) ?? `<id ${met.size}>`
      met.set(id, name)
      return name
    })
    .replaceAll(moment, '<moment>')
    .replaceAll(/muster-audit-\d{4}-\d\d-\d\d/g, 'muster-audit-<day>')
    .replaceAll(/"(latency|duration)Ms":\d+/g, '"$1Ms":<milliseconds>')
    .replaceAll(secret, '<secret>')
}

// An ETag is a hash of the body with its timestamps. The rest of the rate limit depends on the time.
const newEveryTime = new Set(['date', 'x-request-id', 'content-length', 'etag', 'ratelimit'])

function asText({ statusCode, headers, body }: Response): string {
  const shown = Object.entries(headers)
    .filter(([name]) => !newEveryTime.has(name))
    .sort()
    .map(([name, value]) => `${name}: ${value}`)
  return [statusCode, ...shown, '', body].join('\n')
}

/** Sends a request inside the server's process. @returns status, headers and body, without values that always differ */
export async function responseText(
  app: Server,
  operation: Operation,
  token: string,
  input: object,
  known: ReadonlySet<string>,
): Promise<string> {
  const answer = await app.inject({ ...requestFor(operation, input), headers: { authorization: `Bearer ${token}` } })
  return withoutVolatile(asText(answer), known)
}
