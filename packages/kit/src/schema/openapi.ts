// The API description, read off the declarations: OpenAPI 3.1, no second source.
import type { Operation } from '../call.ts'
import type { AnyEndpoint } from '../contract.ts'
import { type Json, Schemas } from './openapi-schemas.ts'
import { type ProofField, takesProof } from './proof.ts'
import { isChangeOfOne, isRepeatable, refusalStatuses, successStatuses } from './statuses.ts'

type Declared = Pick<Operation<never, never>, 'id' | 'endpoint'>

const pathNames = (path: string) => [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')
export const openApiPath = (path: string) => path.replace(/:(\w+)/g, '{$1}')
const isJson = (mediaType: string) => /[/+]json$/.test(mediaType)

const words: Readonly<Record<number, string>> = {
  202: 'Accepted: the work continues after the answer',
  206: 'A part of the file',
  302: 'Elsewhere: see the header Location',
  304: 'Not changed since the version that If-None-Match names',
  400: 'The input is not valid',
  401: 'No valid credential',
  403: 'Not allowed',
  404: 'Not found',
  409: 'In conflict with the state of things or with another request',
  412: 'Changed since the version that If-Match names',
  413: 'The body is too large',
  415: 'The operation does not take that content type',
  416: 'The file has no such part',
  421: 'The service does not answer for that host',
  422: 'The Idempotency-Key was used with another input, or the platform cannot do this',
  428: 'MFA_REQUIRED: a second factor has to be enrolled and passed first',
  429: 'Too many requests. Retry after the seconds in retryAfter',
  500: 'The service failed',
  503: 'The service is busy or restarting. Retry after the seconds in retryAfter',
  504: 'The device did not answer in time',
}
const wordsOf = (status: number) => words[status] ?? `Status ${status}`

const commonHeaders = {
  'X-Request-Id':
    'The id of the request: that of the request header X-Request-Id where it was well-formed, else a new one',
  RateLimit: 'What is left of the limit of the address, after draft-ietf-httpapi-ratelimit-headers',
  'RateLimit-Policy': 'The limit of the address, after draft-ietf-httpapi-ratelimit-headers',
  'Retry-After': 'Seconds until a further attempt can succeed',
  ETag: 'The version of what is answered',
  Location: 'Where to go on',
  'Idempotency-Replayed': 'true where the answer is that of an earlier request with the same Idempotency-Key',
} as const
type HeaderName = keyof typeof commonHeaders
const headersOf = (...names: HeaderName[]): Json =>
  Object.fromEntries(
    (['X-Request-Id', 'RateLimit', 'RateLimit-Policy', ...names] as const).map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  )

const requestHeaders = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    description: 'The same key with the same input within 24 hours gives the first answer instead of acting again',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfMatch: {
    name: 'If-Match',
    description: 'The ETag of the version that is changed. Another version answers 412',
    schema: { type: 'string' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    description: 'ETags of versions that are known. One that still holds answers 304',
    schema: { type: 'string' },
  },
} as const
const headerParameter = (name: keyof typeof requestHeaders) => ({ $ref: `#/components/parameters/${name}` })

/** A DELETE takes them in a body as well: they never stand in an address. */
const proofProperties = {
  currentPassword: {
    type: 'string',
    description: 'The password of the user. Needed where the answer is 403 with `confirmFields`',
  },
  code: { type: 'string', description: 'A code of the second factor, of a kind in `codeKinds`' },
} satisfies Record<ProofField, Json>

function requestParts(endpoint: AnyEndpoint, schemas: Schemas) {
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = schemas.of(endpoint.input, 'input') as {
    properties?: Record<string, Json>
    required?: string[]
    additionalProperties?: unknown
  }
  const inPath = pathNames(endpoint.path)
  const takesJson = isJson(endpoint.consumes)
  const isBodyless = endpoint.inputIn !== 'body' && (endpoint.method === 'GET' || endpoint.method === 'DELETE')
  const inQuery = (name: string) => isBodyless || !takesJson || endpoint.query.includes(name)
  const rest = Object.entries(properties).filter(([name]) => !inPath.includes(name))
  const proof = takesProof(endpoint.stepUp) && endpoint.method !== 'GET' ? Object.entries(proofProperties) : []
  const parameters: Json[] = inPath.map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: properties[name] ?? { type: 'string' },
  }))
  for (const [name, schema] of rest) {
    if (inQuery(name)) parameters.push({ name, in: 'query', required: required.includes(name), schema })
  }
  if (isRepeatable(endpoint)) parameters.push(headerParameter('IdempotencyKey'))
  if (isChangeOfOne(endpoint)) parameters.push(headerParameter('IfMatch'))
  if (successStatuses(endpoint).includes(304)) parameters.push(headerParameter('IfNoneMatch'))
  if (endpoint.unread) {
    return { parameters, requestBody: { content: { [endpoint.consumes]: { schema: { type: 'object' } } } } }
  }
  if (!takesJson) {
    return { parameters, requestBody: { required: true, content: { [endpoint.consumes]: {} } } }
  }
  const own = rest.filter(([name]) => !inQuery(name))
  const inBody = [...proof.filter(([name]) => !(name in properties)), ...own]
  const isOpen = additionalProperties !== false && !isBodyless
  if (inBody.length === 0 && !isOpen) return { parameters }
  const needed = required.filter((name) => own.some(([field]) => field === name))
  const schema = {
    type: 'object',
    properties: Object.fromEntries(inBody),
    ...(needed.length > 0 && { required: needed }),
    ...(isOpen ? {} : { additionalProperties: false }),
  }
  return { parameters, requestBody: { required: needed.length > 0, content: { [endpoint.consumes]: { schema } } } }
}

function contentOf(endpoint: AnyEndpoint, schemas: Schemas): Json {
  const described = { schema: schemas.of(endpoint.output, 'output') }
  if (endpoint.kind === 'query' || endpoint.kind === 'mutation') return { 'application/json': described }
  return Object.fromEntries(
    [endpoint.produces, ...endpoint.alsoProduces].map((type) => [
      type,
      isJson(type) && endpoint.kind === 'raw' ? described : {},
    ]),
  )
}

function responsesOf(endpoint: AnyEndpoint, schemas: Schemas): Json {
  const content = contentOf(endpoint, schemas)
  const extra: HeaderName[] = [
    ...(successStatuses(endpoint).includes(304) ? (['ETag'] as const) : []),
    ...(isRepeatable(endpoint) ? (['Idempotency-Replayed'] as const) : []),
  ]
  const responses: Json = {}
  for (const status of successStatuses(endpoint)) {
    const empty = [204, 302, 304, 416].includes(status)
    const description = status === endpoint.status ? endpoint.summary : wordsOf(status)
    responses[status] = {
      description,
      headers: headersOf(...extra, ...(status === 302 ? (['Location'] as const) : [])),
      ...(empty ? {} : { content }),
    }
  }
  for (const status of refusalStatuses(endpoint)) {
    responses[status] =
      endpoint.failure === null
        ? { $ref: `#/components/responses/Status${status}` }
        : { description: wordsOf(status), content: { [endpoint.produces]: { schema: { type: 'object' } } } }
  }
  return responses
}

function describe({ id, endpoint }: Declared, schemas: Schemas): Json {
  const { access } = endpoint
  return {
    operationId: id,
    summary: endpoint.summary,
    tags: [id.split('.')[0]],
    ...(access.who === 'public' ? { security: [] } : {}),
    'x-scopes': access.who === 'public' ? [] : access.scopes,
    ...(access.permission === null ? {} : { 'x-permission': access.permission }),
    ...requestParts(endpoint, schemas),
    responses: responsesOf(endpoint, schemas),
  }
}

const failure: Json = {
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'string', description: 'What programs decide by' },
    message: { type: 'string', description: 'What people read' },
    issues: { type: 'array', items: {}, description: 'Every field that is wrong or missing, as `{ path, message }`' },
    confirm: { type: 'string', description: 'Present where a fresh proof is needed' },
    confirmFields: { type: 'array', items: { type: 'string' }, description: 'The fields of the proof to send' },
    codeKinds: { type: 'array', items: { type: 'string' }, description: 'The kinds of code that are accepted' },
    partnerInactive: {
      type: 'boolean',
      description: 'True where the request is refused because the partner is not active',
    },
    retryAfter: { type: 'number', description: 'Seconds until a further attempt can succeed' },
    requestId: { type: 'string', description: 'What the service logged the failure under' },
  },
}

const failureResponses = (statuses: Iterable<number>): Json =>
  Object.fromEntries(
    [...new Set(statuses)].map((status) => [
      `Status${status}`,
      {
        description: wordsOf(status),
        headers: headersOf(...(status === 429 || status === 503 ? (['Retry-After'] as const) : [])),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  )

/** The whole document for these operations. */
export function openApiDocument(operations: readonly Declared[], version: string, server: string): Json {
  const schemas = new Schemas()
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    const path = openApiPath(operation.endpoint.path)
    paths[path] = { ...paths[path], [operation.endpoint.method.toLowerCase()]: describe(operation, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Muster', version, description: 'Fleet management: devices, commands, tenants and people.' },
    servers: [{ url: server }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: [...new Set(operations.map(({ id }) => id.split('.')[0]))].map((name) => ({ name })),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
      parameters: Object.fromEntries(
        Object.entries(requestHeaders).map(([name, said]) => [name, { in: 'header', required: false, ...said }]),
      ),
      headers: Object.fromEntries(
        Object.entries(commonHeaders).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
      ),
      responses: failureResponses(operations.flatMap(({ endpoint }) => refusalStatuses(endpoint))),
      schemas: { Error: failure, ...schemas.components },
    },
    paths,
  }
}
