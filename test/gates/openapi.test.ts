// Two validators accept the API description, and a client generated from it compiles.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { operations } from '@muster/areas/registry.ts'
import { openApiDocument } from '@muster/kit/schema/openapi.ts'
import { expect, it } from 'vitest'
import { acceptedByRedocly, acceptedByThePublishedSchema, clientTypes } from '../openapi/tools.ts'

const document = openApiDocument(operations, '1.0.0', 'https://muster.test/api/v1')

it('the published schema of OpenAPI 3.1 accepts the description', async () => {
  expect(await acceptedByThePublishedSchema(document)).toEqual([])
})

it('an independent linter finds no structural error and no dangling reference', async () => {
  expect(await acceptedByRedocly(document)).toEqual([])
})

it('every reference resolves', () => {
  const text = JSON.stringify(document)
  const targets = [...text.matchAll(/"\$ref":"#([^"]+)"/g)].map(([, path = '']) => path)
  const at = (path: string) =>
    path
      .split('/')
      .slice(1)
      .reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], document)
  expect([...new Set(targets)].filter((path) => at(path) === undefined)).toEqual([])
})

const program = `
import createClient from 'openapi-fetch'
import type { paths } from './api.js'
const client = createClient<paths>({ baseUrl: 'https://muster.test/api/v1' })
export async function use() {
  const { data, error } = await client.GET('/devices/{id}', { params: { path: { id: 'x' } } })
  if (error) throw new Error(error.message)
  const name: string = data.hostname
  const made = await client.POST('/orgs/sites', {
    body: { orgId: 'x', name },
    params: { header: { 'Idempotency-Key': 'k' } },
  })
  // @ts-expect-error a name is a string
  await client.POST('/orgs/sites', { body: { orgId: 'x', name: 5 } })
  const proof = { currentPassword: 'secret', code: '123456' }
  const key = await client.POST('/api-keys', { body: { name, scopes: ['devices:read'], ...proof } })
  const kinds: unknown[] | undefined = key.error?.codeKinds
  await client.DELETE('/auth/sessions', { body: { keepApiKeys: true, ...proof } })
  // @ts-expect-error a proof is never part of the query
  await client.DELETE('/auth/sessions', { params: { query: { keepApiKeys: true } } })
  const synced = await client.POST('/agent-versions/sync-upstream', { params: { query: { version: '1.0.0' } } })
  return [kinds, made.data?.id, synced.data?.version]
}
`

it('a client generated from the description compiles strictly', { timeout: 180_000 }, async () => {
  const root = join(import.meta.dirname, '../..')
  const folder = await mkdtemp(join(root, 'test/openapi/generated-'))
  try {
    await writeFile(join(folder, 'api.d.ts'), await clientTypes(document))
    await writeFile(join(folder, 'use.ts'), program)
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const flags = '--strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --noEmit --skipLibCheck false'
    const options = [
      ...flags.split(' '),
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--lib',
      'es2023,dom,dom.iterable',
      '--types',
      '',
      '--ignoreConfig',
    ]
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, ...options, join(folder, 'use.ts')]).catch(
      (error: { stdout?: string }) => ({ stdout: error.stdout ?? String(error) }),
    )
    expect(stdout).toBe('')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
