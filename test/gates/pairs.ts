// Pairs of operations that touch one resource at the same time: its deletion and each operation that can refer to it.
// Both are found by the operations' examples and the schema's foreign keys, so a new operation is paired automatically.
import type { Operation } from '@muster/areas/operation.ts'
import { operations } from '@muster/areas/registry.ts'
import type { Scope } from '@muster/kit/contract.ts'
import type { Person } from '@muster/testkit/world.ts'
import type pg from 'pg'
import { z } from 'zod'
import { exampleOf } from './example-of.ts'
import { tablesOf } from './pg-catalog.ts'
import { type Answer, probe } from './probe.ts'
import type { StageWorld } from './stage.ts'

type Stage = StageWorld['stage']
type Input = Readonly<Record<string, unknown>>
type StageKey = Exclude<keyof Stage, 'fresh'>

const plain = (value: unknown): Input =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {}
const inputOf = (operation: Operation, stage: Stage, scope: Scope): Input =>
  plain(exampleOf(operation).input(stage, scope))
const scopeOf = ({ endpoint }: Operation): Scope => {
  const { scopes } = endpoint.access
  return (['partner', 'organization', 'system'] as const).find((scope) => scopes.includes(scope)) ?? 'system'
}

/** The example of an operation for a caller that may send it. */
export const exampleInput = (operation: Operation, stage: Stage): Input => inputOf(operation, stage, scopeOf(operation))

/** A kind of resource that can be created and deleted. */
export interface Kind {
  readonly stageKey: StageKey
  readonly table: string
  readonly maker: Operation
  readonly remover: Operation
}

/** Creating operations that are not named `create` beside the deletion. */
const makers: Readonly<Record<string, string>> = {
  'users.users.remove': 'users.invitations.invite',
  'apiKeys.keys.revoke': 'apiKeys.keys.create',
  'lifecycle.lifecycle.remove': 'enrollment.provision.create',
}

const operationWith = (id: string | undefined) => operations.find((one) => one.id === id)

/** Whether the operation deletes the resource that its path ends with. */
const deletesOne = ({ endpoint: { method, path } }: Operation) => method === 'DELETE' && path.endsWith('/:id')

/** Each kind in the stage that one operation creates and another deletes by id. */
export async function kindsOf(owner: pg.Client, { stage }: StageWorld): Promise<Kind[]> {
  const tables = (await tablesOf(owner)).filter(({ columns }) => columns.some(({ name }) => name === 'id'))
  const found: Kind[] = []
  for (const remover of operations.filter(deletesOne)) {
    const { id } = inputOf(remover, stage, scopeOf(remover))
    const stageKey = stageKeys(stage).find((key) => stage[key] === id)
    const maker = operationWith(makers[remover.id] ?? remover.id.replace(/\w+$/, 'create'))
    if (typeof id !== 'string' || stageKey === undefined || maker === undefined) continue
    for (const { name } of tables) {
      const { rowCount } = await owner.query(`SELECT FROM ${name} WHERE id::text = $1`, [id])
      if (rowCount === 1) found.push({ stageKey, table: name, maker, remover })
    }
  }
  return found
}
const stageKeys = (stage: Stage) =>
  Object.entries(stage).flatMap(([key, value]) => (typeof value === 'string' ? [key as StageKey] : []))

export interface Made {
  readonly id: string
  readonly stage: Stage
  /** The values by which other rows refer to it. */
  readonly marks: readonly string[]
}

/** Creates another resource of the kind. @returns its id, and the stage with it in place of the first */
export async function make({ maker, stageKey }: Kind, there: StageWorld): Promise<Made> {
  const scope = scopeOf(maker)
  const answer = await send(there, maker, inputOf(maker, there.stage, scope))
  if (answer.status >= 400) throw new Error(`${maker.id} created nothing: ${answer.status} ${answer.message}`)
  const body = plain(JSON.parse(answer.text))
  const made = body.id === undefined ? plain(body.device) : body
  const id = String(made.id)
  // Resources with a key are referred to by id and by key.
  const key = typeof made.key === 'string' && Object.hasOwn(there.stage, `${stageKey}Key`) ? made.key : null
  const stage = { ...there.stage, [stageKey]: id, ...(key === null ? {} : { [`${stageKey}Key`]: key }) }
  return { id, stage, marks: key === null ? [id] : [id, key] }
}

const personOf = ({ world }: StageWorld, scope: Scope): Person =>
  ({ partner: world.partnerAdmin, organization: world.orgAdmin, system: world.systemAdmin })[scope]

/** Calls an operation as a caller that may use it. */
export function send(there: StageWorld, operation: Operation, input: Input): Promise<Answer> {
  const ofProvider = operation.id.startsWith('scim.')
  const headers: Record<string, string> = ofProvider ? { authorization: `Bearer ${there.stage.scimToken}` } : {}
  return probe(operation, ofProvider ? null : personOf(there, scopeOf(operation)), input, { headers, lasting: true })
}

const Properties = z.looseObject({ properties: z.record(z.string(), z.unknown()).default({}) })
const propertiesOf = ({ endpoint }: Operation) =>
  Properties.parse(z.toJSONSchema(endpoint.input, { io: 'input', unrepresentable: 'any' })).properties

const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The input fields that refer to rows of a table: those of its foreign keys, single and in lists. */
async function fieldsFor(owner: pg.Client, table: string): Promise<Set<string>> {
  const { rows } = await owner.query<{ column: string }>(
    `SELECT DISTINCT a.attname AS column FROM pg_constraint k
     JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
     JOIN pg_attribute f ON f.attrelid = k.confrelid AND f.attnum = k.confkey[1]
     WHERE k.contype = 'f' AND k.confrelid = $1::regclass AND f.attname = 'id'`,
    [table],
  )
  const ofTable = camel(table).replace(/s$/, '')
  const names = [...rows.map(({ column }) => camel(column)), `${ofTable}Id`]
  return new Set(names.flatMap((name) => [name, `${name}s`]))
}

/** A request that refers to a resource. */
export interface Referring {
  readonly operation: Operation
  readonly how: string
  input(made: Made): Input
}

/** Every mutation that can refer to the kind: by its example, or by a field named like one of the foreign keys. */
export async function referringTo(owner: pg.Client, kind: Kind, made: Made): Promise<Referring[]> {
  const fields = await fieldsFor(owner, kind.table)
  return operations
    .filter(
      ({ id, endpoint }) => endpoint.method !== 'GET' && (endpoint.access.who !== 'public' || id.startsWith('scim.')),
    )
    .flatMap((operation) => {
      const scope = scopeOf(operation)
      const example = (one: Made) => inputOf(operation, one.stage, scope)
      const found: Referring[] = []
      if (made.marks.some((mark) => JSON.stringify(example(made)).includes(mark)))
        found.push({ operation, how: 'its example', input: example })
      for (const [field, schema] of Object.entries(propertiesOf(operation))) {
        if (!fields.has(field) || JSON.stringify(example(made)[field] ?? '').includes(made.id)) continue
        const isList = JSON.stringify(schema).includes('"array"')
        found.push({
          operation,
          how: field,
          input: (one) => ({ ...example(one), [field]: isList ? [one.id] : one.id }),
        })
      }
      return found
    })
}

export interface Outcome {
  readonly removed: Answer
  readonly other: Answer
}

/** Sends the deletion and the other request concurrently. The round decides which is sent first. */
export async function clash(there: StageWorld, kind: Kind, referring: Referring, made: Made, round: number) {
  const scope = scopeOf(kind.remover)
  const remove = () => send(there, kind.remover, inputOf(kind.remover, made.stage, scope))
  const refer = () => send(there, referring.operation, referring.input(made))
  const [removed, other] = await Promise.all(round % 2 === 0 ? [remove(), refer()] : [refer(), remove()].reverse())
  return { removed, other } as Outcome
}

/** Tables that keep references to deleted rows on purpose. */
const history = /^(audit_|device_group_log$|access_review_items$|mail_outbox$|migrations$|device_metrics)/

/** The field with a unique value, and the operation that changes it; null when the kind has none. */
export async function uniqueField(there: StageWorld, { maker }: Kind) {
  const input = exampleInput(maker, there.stage)
  await send(there, maker, input)
  const again = await send(there, maker, input)
  const { field } = again.status === 409 ? plain(JSON.parse(again.text)) : {}
  if (typeof field !== 'string' || !(field in input)) return null
  const updater = operations.find(({ id }) => id === maker.id.replace(/\w+$/, 'update'))
  return { field, updater: updater !== undefined && field in propertiesOf(updater) ? updater : null }
}

/** Rows that still refer to deleted resources, also inside lists and JSON documents. */
export async function leftovers(owner: pg.Client, gone: ReadonlyMap<string, string>): Promise<string[]> {
  if (gone.size === 0) return []
  const found: string[] = []
  for (const { name } of (await tablesOf(owner)).filter((table) => !history.test(table.name))) {
    const { rows } = await owner.query<{ mark: string }>(
      `SELECT mark FROM (SELECT to_jsonb(t)::text AS text FROM ${name} t) row_text, unnest($1::text[]) AS mark
       WHERE strpos(row_text.text, mark) > 0`,
      [[...gone.keys()]],
    )
    found.push(...rows.map(({ mark }) => `${name} still refers to a row deleted by ${gone.get(mark)}`))
  }
  return [...new Set(found)]
}

/** Whether the row is gone, and not only marked as deleted. */
export async function isGone(owner: pg.Client, { table }: Kind, { id }: Made): Promise<boolean> {
  const { rowCount } = await owner.query(`SELECT FROM ${table} WHERE id::text = $1`, [id])
  return rowCount === 0
}
