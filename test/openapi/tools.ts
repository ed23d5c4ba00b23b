// The tools of others that read the API description. They live in a workspace of their own: the generator of the client
// needs another TypeScript than we do.
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import openapiTs, { astToString } from 'openapi-typescript'

/** What the published JSON Schema of OpenAPI says against the document. */
export async function acceptedByThePublishedSchema(document: object): Promise<unknown[]> {
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)))
  return valid ? [] : [errors].flat()
}

/** What Redocly's linter says against its structure. */
export async function acceptedByRedocly(document: object): Promise<string[]> {
  const rules = {
    struct: 'error',
    'no-unresolved-refs': 'error',
    'operation-operationId-unique': 'error',
    'path-parameters-defined': 'error',
    'operation-parameters-unique': 'error',
    'no-identical-paths': 'error',
    'path-declaration-must-exist': 'error',
    'operation-operationId-url-safe': 'error',
    'no-invalid-schema-examples': 'error',
  } as const
  const config = await createConfig({ rules })
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config })
  return problems.map(({ message, location }) => `${message} at ${location[0]?.pointer ?? ''}`)
}

export const clientTypes = async (document: object): Promise<string> =>
  astToString(await openapiTs(JSON.stringify(document)))
