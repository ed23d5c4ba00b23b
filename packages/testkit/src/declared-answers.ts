// Checks every answer in tests against the API description: status, media type and body.
import { operations } from '@muster/areas/registry.ts'
import type { AnyEndpoint } from '@muster/kit/contract.ts'
import { openApiDocument, openApiPath } from '@muster/kit/schema/openapi.ts'
import { statusOfAnswer } from '@muster/kit/schema/statuses.ts'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

interface Described {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>
}
interface Document {
  readonly paths: Record<string, Record<string, { readonly responses: Record<string, Described> }>>
  readonly components: { readonly responses: Record<string, Described> }
}

/** An answer as HTTP would send it. */
export interface Answered {
  readonly status: number
  readonly type: string
  /** The parsed JSON; undefined if the body is not checked. */
  readonly body?: unknown
}

let made: { document: Document; ajv: Ajv2020 } | undefined
function description() {
  if (made !== undefined) return made
  const document: Document = JSON.parse(
    JSON.stringify(openApiDocument(operations, 'test', 'https://muster.test/api/v1')),
  )
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false })
  made = { document, ajv: ajv.addSchema(document, 'openapi') }
  return made
}

const pointer = (...parts: readonly string[]) =>
  parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
const validators = new Map<string, ValidateFunction>()

function validatorOf(at: string): ValidateFunction {
  const known = validators.get(at)
  if (known !== undefined) return known
  const compiled = description().ajv.compile({ $ref: `openapi#/${at}` })
  validators.set(at, compiled)
  return compiled
}

/** @throws when the description does not declare the answer */
export function mustBeDeclared(id: string, endpoint: AnyEndpoint, { status, type, body }: Answered): void {
  const { document, ajv } = description()
  const path = openApiPath(endpoint.path)
  const method = endpoint.method.toLowerCase()
  const own = document.paths[path]?.[method]?.responses[status]
  if (own === undefined) throw new Error(`${id} answered ${status}, which the API description does not declare for it`)
  const name = own.$ref?.split('/').at(-1)
  const response = name === undefined ? own : document.components.responses[name]
  const place =
    name === undefined ? ['paths', path, method, 'responses', String(status)] : ['components', 'responses', name]
  const media = type.split(';', 1)[0] ?? ''
  if (response?.content === undefined) return
  const declared = response.content[media]
  if (declared === undefined) {
    throw new Error(`${id} answered ${status} as ${media}. Declared: ${Object.keys(response.content).join(', ')}`)
  }
  if (declared.schema === undefined || body === undefined) return
  const validate = validatorOf(pointer(...place, 'content', media, 'schema'))
  // Compared as sent, without the fields that JSON omits.
  if (!validate(JSON.parse(JSON.stringify(body)))) {
    throw new Error(`${id} answered ${status} with a body that fails its schema: ${ajv.errorsText(validate.errors)}`)
  }
}

const json = 'application/json'
const isRaw = (output: unknown): output is { status?: number; headers: Record<string, string> } =>
  typeof output === 'object' && output !== null && 'headers' in output

/** Checks an output of `run`. */
export function outputMustBeDeclared(id: string, endpoint: AnyEndpoint, output: unknown): void {
  if (endpoint.kind !== 'raw') {
    mustBeDeclared(id, endpoint, { status: statusOfAnswer(endpoint, output), type: json, body: output })
    return
  }
  if (!isRaw(output)) throw new Error(`${id} returned no raw answer`)
  mustBeDeclared(id, endpoint, { status: output.status ?? 200, type: output.headers['content-type'] ?? '' })
}

/** Checks a refusal. */
export function refusalMustBeDeclared(
  id: string,
  endpoint: AnyEndpoint,
  refused: { readonly status: number; body(): object },
): void {
  const { failure, produces } = endpoint
  const type = failure === null ? json : produces
  mustBeDeclared(id, endpoint, { status: refused.status, type, ...(failure === null && { body: refused.body() }) })
}
