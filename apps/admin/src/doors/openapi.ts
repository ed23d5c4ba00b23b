// The API description, read off the declarations: OpenAPI 3.1, no second source.
import type { Operation } from '@muster/areas/operation.ts'
import type { AnyEndpoint } from '@muster/kit/contract.ts'
import { Proof, takesProof } from '@muster/kit/proof.ts'
import { z } from 'zod'

type Json = Record<string, unknown>

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...made } = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' })
  return made
}

const { properties: proofSchemas } = schemaOf(Proof, 'input') as { properties: Record<string, Json> }

const pathNames = (path: string) => [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')
const failures = {
  '400': 'The input is not valid',
  '401': 'No valid credential',
  '403': 'Not allowed',
  '404': 'Not found',
  '429': 'Too many requests',
}

function requestParts(endpoint: AnyEndpoint) {
  const { properties = {}, required = [] } = schemaOf(endpoint.input, 'input') as {
    properties?: Record<string, Json>
    required?: string[]
  }
  const inPath = pathNames(endpoint.path)
  const rest = Object.entries(properties).filter(([name]) => !inPath.includes(name))
  const inQuery = endpoint.inputIn === null && (endpoint.method === 'GET' || endpoint.method === 'DELETE')
  const proof = takesProof(endpoint.stepUp) && endpoint.kind === 'mutation' ? proofSchemas : {}
  const parameters: Json[] = inPath.map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: properties[name] ?? { type: 'string' },
  }))
  if (inQuery) {
    for (const [name, schema] of rest) parameters.push({ name, in: 'query', required: required.includes(name), schema })
  }
  const fields = { ...proof, ...(inQuery ? {} : Object.fromEntries(rest)) }
  if (Object.keys(fields).length === 0) return { parameters }
  const schema = {
    type: 'object',
    properties: fields,
    required: inQuery ? [] : required.filter((name) => !inPath.includes(name)),
  }
  const needed = schema.required.length > 0
  return { parameters, requestBody: { required: needed, content: { 'application/json': { schema } } } }
}

function describe({ id, endpoint }: Operation): Json {
  const { access } = endpoint
  const [area, resource, verb] = id.split('.')
  const content =
    endpoint.kind === 'raw' || endpoint.kind === 'subscription'
      ? { [endpoint.produces]: {} }
      : { 'application/json': { schema: schemaOf(endpoint.output, 'output') } }
  const error = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
  return {
    operationId: [area, resource, verb].join('.'),
    summary: endpoint.summary,
    tags: [area],
    ...(access.who === 'public' ? { security: [] } : {}),
    'x-scopes': access.who === 'public' ? [] : access.scopes,
    ...(access.permission === null ? {} : { 'x-permission': access.permission }),
    ...requestParts(endpoint),
    responses: {
      [endpoint.status]: { description: endpoint.summary, content },
      ...Object.fromEntries(
        Object.entries(failures).map(([status, description]) => [status, { description, content: error }]),
      ),
    },
  }
}

/** The whole document for these operations. */
export function openApiDocument(operations: readonly Operation[], version: string, server: string): Json {
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    const path = operation.endpoint.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.endpoint.method.toLowerCase()]: describe(operation) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Muster', version, description: 'Fleet management: devices, commands, tenants and people.' },
    servers: [{ url: server }],
    security: [{ bearer: [] }, { apiKey: [] }],
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
      schemas: {
        Error: {
          type: 'object',
          required: ['code', 'message'],
          properties: { code: { type: 'string' }, message: { type: 'string' } },
        },
      },
    },
    paths,
  }
}
