// Two concurrent requests for the same resource. No pair is answered 5xx, nothing is deleted twice, and no row refers
// to a deleted one. Every pair gets one round, some get two. PAIR_ROUNDS sets more, as in test/long/w1-pairs; PAIR_SEED
// changes which request is sent first.
import { testDatabase } from '@muster/testkit/stores.ts'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { getsAll, probesOf } from './budget.ts'
import {
  clash,
  exampleInput,
  isGone,
  type Kind,
  kindsOf,
  leftovers,
  make,
  type Referring,
  referringTo,
  send,
  uniqueField,
} from './pairs.ts'
import { buildStage } from './stage.ts'

const givenRounds = process.env.PAIR_ROUNDS
const rounds = Number(givenRounds ?? 2)
const seed = Number(process.env.PAIR_SEED ?? 1)

const owner = new pg.Client({ connectionString: testDatabase().ownerUrl })
await owner.connect()
afterAll(() => owner.end())
const there = await buildStage()
const kinds = await kindsOf(owner, there)
let references = 0

/** Each pair, repeated for each of its rounds. */
function clashesOf(kind: Kind, partners: readonly Referring[]) {
  const all = partners.flatMap((referring, index) =>
    Array.from({ length: rounds }, (_, round) => ({ referring, round, turn: seed + index + round })),
  )
  if (givenRounds !== undefined) return all
  return probesOf(kind.remover, all, {
    budget: 2_000,
    isCore: ({ referring, round }) => round === 0 || getsAll(referring.operation),
  })
}
const isSuccess = (status: number) => status < 300

describe('a deletion and a concurrent request that refers to the same resource', () => {
  it('are found for sites, roles, groups and more', () => {
    const ids = kinds.map(({ remover }) => remover.id)
    expect(ids).toEqual(expect.arrayContaining(['tenancy.sites.remove', 'roles.roles.remove', 'groups.groups.remove']))
    expect(kinds.length).toBeGreaterThan(7)
  })

  it.each(kinds.map((kind) => ({ id: kind.remover.id, kind })))(
    '$id',
    { timeout: 60_000 * rounds },
    async ({ kind }) => {
      const gone = new Map<string, string>()
      let removals = 0
      const wrong: string[] = []
      const partners = await referringTo(owner, kind, await make(kind, there))
      for (const { referring, turn } of clashesOf(kind, partners)) {
        const made = await make(kind, there)
        const { removed, other } = await clash(there, kind, referring, made, turn)
        const what = `${kind.remover.id} × ${referring.operation.id} (${referring.how})`
        for (const [who, answer] of Object.entries({ removed, other }))
          if (answer.status >= 500) wrong.push(`${what}: ${who} ${answer.status} ${answer.failure ?? answer.message}`)
        const isDeletion = referring.operation === kind.remover
        if (removed.status < 400 || (isDeletion && other.status < 400)) removals++
        if (other.status < 400) references++
        if (isDeletion && removed.status < 400 && other.status < 400) wrong.push(`${what}: both deleted it`)
        if (await isGone(owner, kind, made)) for (const mark of made.marks) gone.set(mark, what)
      }
      expect(wrong).toEqual([])
      expect(removals).toBeGreaterThan(0)
      expect(await leftovers(owner, gone)).toEqual([])
    },
  )
})

it('the other request of a pair often succeeds before the deletion', () => {
  expect(references).toBeGreaterThan(kinds.length)
})

describe('a unique value in concurrent requests', () => {
  const found: string[] = []

  it.each(kinds.map((kind) => ({ id: kind.maker.id, kind })))('$id accepts it once', async ({ kind }) => {
    const unique = await uniqueField(there, kind)
    if (unique === null) return
    const { field, updater } = unique
    found.push(`${kind.table}.${field}`)
    const input = exampleInput(kind.maker, there.stage)
    const made = await Promise.all(Array.from({ length: 6 }, () => send(there, kind.maker, input)))
    expect(made.map(({ status }) => status).sort()).toEqual([expect.toSatisfy(isSuccess), 409, 409, 409, 409, 409])
    if (updater === null) return
    const value = exampleInput(kind.maker, there.stage)[field]
    const things = [await make(kind, there), await make(kind, there)]
    const changed = await Promise.all(
      things.map(({ id, stage }) => send(there, updater, { ...exampleInput(updater, stage), id, [field]: value })),
    )
    expect(changed.map(({ status }) => status).sort()).toEqual([expect.toSatisfy(isSuccess), 409])
  })

  it('is found for the slugs of organizations and partners', () => {
    expect(found).toEqual(expect.arrayContaining(['organizations.slug', 'partners.slug']))
  })
})

describe('six concurrent deletions of the same resource', () => {
  it.each(kinds.map((kind) => ({ id: kind.remover.id, kind })))(
    '$id succeeds once and writes one audit record',
    async ({ kind }) => {
      const made = await make(kind, there)
      const referring = (await referringTo(owner, kind, made)).find(({ operation }) => operation === kind.remover)
      if (referring === undefined) throw new Error('the deletion does not refer to its own resource')
      const records = async () => {
        const { rows } = await owner.query<{ count: string }>(
          'SELECT count(*) AS count FROM audit_logs WHERE resource_id::text = $1',
          [made.id],
        )
        return Number(rows[0]?.count)
      }
      const before = await records()
      const outcomes = await Promise.all(
        Array.from({ length: 3 }, (_, round) => clash(there, kind, referring, made, round)),
      )
      const statuses = outcomes.flatMap(({ removed, other }) => [removed.status, other.status]).sort()
      expect(statuses[0]).toBeLessThan(300)
      // A decommissioned device can still be read.
      const gone = kind.table === 'devices' ? 409 : 404
      expect(statuses.slice(1)).toEqual(Array.from({ length: 5 }, () => gone))
      expect(await records()).toBe(before + 1)
    },
  )
})
