// Which statuses an operation can answer with. The API description declares them, and the tests hold every answer to it.
import type { AnyEndpoint } from '../contract.ts'

/** Changes of one thing: a PATCH, PUT or DELETE, which may come with a condition. */
export const isChangeOfOne = ({ kind, method }: Pick<AnyEndpoint, 'kind' | 'method'>): boolean =>
  kind === 'mutation' && (method === 'PATCH' || method === 'PUT' || method === 'DELETE')

/** Takes an Idempotency-Key: everything that a caller creates or sets going. */
export const isRepeatable = ({ kind, method, access, unrepeatable }: AnyEndpoint): boolean =>
  kind === 'mutation' && method === 'POST' && access.who !== 'public' && unrepeatable === null

export function refusalStatuses(endpoint: AnyEndpoint): number[] {
  const { access, kind, method } = endpoint
  const statuses = [400, 421, 429, 500, 503, ...endpoint.refuses]
  if (access.who !== 'public') statuses.push(401, 403, 404)
  // Of a public change, the credential is its input: a password, a key, a token.
  else if (kind === 'mutation') statuses.push(401, 403)
  if (access.who !== 'public' && !access.beforeMfa) statuses.push(428)
  if (method !== 'GET') statuses.push(413, 415)
  if (kind === 'mutation') statuses.push(409)
  if (isChangeOfOne(endpoint)) statuses.push(412)
  if (isRepeatable(endpoint)) statuses.push(422)
  return [...new Set(statuses)].sort((one, other) => one - other)
}

/** Reads of one resource have a version: an ETag, and 304 for callers that know it. */
export const hasVersion = ({ kind, method, path }: AnyEndpoint): boolean =>
  kind === 'query' && method === 'GET' && path.includes(':')

/** Those that are no refusals: that of the declaration, and what it names beside it. */
export const successStatuses = (endpoint: AnyEndpoint): number[] => [
  ...new Set([endpoint.status, ...endpoint.answers, ...(hasVersion(endpoint) ? [304] : [])]),
]

/** Of a JSON answer. */
export const statusOfAnswer = ({ status, statusOf }: AnyEndpoint, output: unknown): number =>
  statusOf === null ? status : statusOf(output)
