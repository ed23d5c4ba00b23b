// The start and end of all SCIM operations: the provider of the token, and an answer in the media type of the standard.
import type { Db } from '@muster/db/database.ts'
import type { RawAnswer } from '@muster/kit/call.ts'
import { AppError, denied, unauthenticated } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { callersOf } from '../../caller-cache.ts'
import type { Call } from '../../operation.ts'
import { limitsOf, originOf } from '../auth/index.ts'
import { providerOfScimToken, type ScimProvider } from '../sso/index.ts'
import { type Filter, NotAFilter, parseFilter, plainName } from './filter.rules.ts'
import { listSchema, mediaType } from './messages.rules.ts'
import { BadPatch } from './patch.rules.ts'

const allowance = { points: 6_000, seconds: 60 }

/** The provider of the request's token. @throws UNAUTHENTICATED for any other credential */
export async function callingProvider({ request, reply, services }: Call): Promise<ScimProvider> {
  const token = /^Bearer +(\S+)$/i.exec(request.header('authorization') ?? '')?.[1]
  const provider = token === undefined ? null : await providerOfScimToken(services, token)
  if (provider === null) {
    await limitsOf(services).take('scimFailuresPerAddress', originOf(request.ip))
    reply.header('www-authenticate', 'Bearer')
    throw unauthenticated('The SCIM token is missing or invalid')
  }
  await limitsOf(services).takeFrom('scimPerProvider', provider.id, allowance)
  return provider
}

/** The provider's organization as a tenant. */
export const tenantOf = ({ orgId, partnerId, orgName }: ScimProvider) =>
  ({ scope: 'organization', orgId, partnerId, name: orgName }) as const

export const baseUrlOf = ({ services }: Pick<Call, 'services'>): string => `${services.settings.publicUrl}/scim/v2`

/** Makes a change for the calling provider. The changes of one provider are serialized. */
export async function changeAsProvider<T>(
  call: Call,
  work: (db: Db, provider: ScimProvider) => Promise<T>,
): Promise<T> {
  const provider = await callingProvider(call)
  const result = await call.write(async (db) => {
    await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`scim ${provider.id}`}, 0))`.execute(db)
    return work(db, provider)
  })
  call.afterCommit(() => callersOf(call.services).clear())
  return result
}

/** Rejects additions to a suspended or churned organization. */
export function requireWorking({ orgStatus }: ScimProvider): void {
  if (orgStatus === 'suspended' || orgStatus === 'churned') throw denied(`Organization is ${orgStatus}`)
}

/** Actor and tenant of audit records for changes by the provider. */
export const byProvider = ({ id, name, orgId, partnerId }: ScimProvider) => ({
  orgId,
  partnerId,
  actor: { type: 'system', id, email: `SCIM: ${name}` } as const,
})

export const scimAnswer = (body: object | null, status = 200, headers: Record<string, string> = {}): RawAnswer => ({
  status,
  headers: { 'content-type': mediaType, ...headers },
  body: body === null ? null : JSON.stringify(body),
})

export interface Shown {
  readonly attributes?: string | undefined
  readonly excludedAttributes?: string | undefined
}
const listed = (text: string) => new Set(text.split(',').map((name) => plainName(name.trim()).split('.')[0] ?? ''))
const always = new Set(['schemas', 'id', 'meta'])

/** Whether the attribute is requested. */
export function wants({ attributes, excludedAttributes }: Shown, name: string): boolean {
  const plain = name.toLowerCase()
  if (always.has(plain)) return true
  if (attributes !== undefined && attributes !== '') return listed(attributes).has(plain)
  return excludedAttributes === undefined || !listed(excludedAttributes).has(plain)
}

/** The resource with the requested attributes. */
export const only = (resource: object, shown: Shown): object =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => wants(shown, name)))

export const listOf = (resources: readonly object[], total: number, startIndex: number): RawAnswer =>
  scimAnswer({
    schemas: [listSchema],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  })

type ScimType = 'invalidFilter' | 'invalidPath' | 'invalidValue' | 'invalidSyntax' | 'noTarget' | 'mutability'
export const badScim = (scimType: ScimType, message: string) => new AppError('BAD_REQUEST', message, { scimType })
export const taken = (message: string) => new AppError('CONFLICT', message, { scimType: 'uniqueness' })

/** The parsed filter of a list; null without one. @throws BAD_REQUEST with invalidFilter */
export const filterOf = ({ filter }: { readonly filter?: string | undefined }): Filter | null =>
  filter === undefined ? null : asScimError(() => parseFilter(filter))

/** Turns errors of filters and patches into SCIM errors. */
export function asScimError<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof NotAFilter) throw badScim('invalidFilter', error.message)
    if (error instanceof BadPatch) throw badScim(error.scimType, error.message)
    throw error
  }
}

/** Whether the text is a UUID. All other texts match no resource. */
export const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
