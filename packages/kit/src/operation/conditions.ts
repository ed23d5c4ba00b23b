// Conditional requests (RFC 9110, section 13): a change applies only to the version that the client has read.
import { hash } from 'node:crypto'
import { type Call, noWrite, type Operation, type Request } from '../call.ts'
import { AppError, invariant } from '../errors.ts'
import { isChangeOfOne } from '../schema/statuses.ts'
import { parseInput } from './input.ts'

/** The version of a resource: a strong ETag of the JSON of its GET. */
export const etagOf = (json: string): string => `"${hash('sha1', json, 'base64url')}"`

const listed = (header: string): string[] =>
  // A compressed response has the tag of its encoding. The version is the same.
  [...header.matchAll(/(?:W\/)?"[^"]*"|\*/g)].map(([tag]) => tag.replace(/-(?:gzip|br)"$/, '"'))

/** Whether the client has this version. The comparison is weak. */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined && listed(ifNoneMatch).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag)

/** Whether the condition of a change holds. The comparison is strong: a weak tag matches nothing. */
const holds = (ifMatch: string, etag: string): boolean => listed(ifMatch).some((tag) => tag === '*' || tag === etag)

const changed = () =>
  new AppError('PRECONDITION_FAILED', 'This was changed since the version that If-Match names. Read it again')

/** The condition of a change. */
export const conditionOf = ({ endpoint }: Pick<Operation<never, never>, 'endpoint'>, request: Request) =>
  isChangeOfOne(endpoint) ? request.header('if-match') : undefined

/** @throws PRECONDITION_FAILED when the version has changed, or when no GET has an ETag for it */
export function mustHold(ifMatch: string, current: unknown): void {
  if (current === undefined) {
    throw new AppError('PRECONDITION_FAILED', 'This path has no ETag, so If-Match cannot hold. Leave the header out')
  }
  if (!holds(ifMatch, etagOf(JSON.stringify(current)))) throw changed()
}

/** Reads the changed resource with its own GET. */
export async function currentOf<Db, Services>(
  { reader }: Operation<Db, Services>,
  {
    given,
    db,
    ...call
  }: Pick<Call<unknown, Db, Services>, 'caller' | 'db' | 'services' | 'request' | 'reply'> & {
    given: unknown
  },
): Promise<unknown> {
  if (reader === null) return undefined
  const known = new Set(pathNames(reader.endpoint.path))
  const input = parseInput(
    reader.endpoint,
    Object.fromEntries(Object.entries(given ?? {}).filter(([name]) => known.has(name))),
  )
  const onlyReads = () => invariant(false, 'a GET changes nothing')
  const output = await reader.handle({
    ...call,
    db,
    input,
    write: noWrite,
    stepUp: () => Promise.reject(new Error('a GET asks for no proof')),
    audit: onlyReads,
    afterCommit: onlyReads,
    answerLater: onlyReads,
  })
  return reader.endpoint.output.parse(output)
}

/** The name of one resource, for its lock. */
export function resourceOf({ endpoint: { path } }: Pick<Operation<never, never>, 'endpoint'>, input: unknown): string {
  const fields = new Map(Object.entries(input ?? {}))
  return path.replace(/:(\w+)/g, (_, name: string) => String(fields.get(name)))
}

const pathNames = (path: string) => [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')
