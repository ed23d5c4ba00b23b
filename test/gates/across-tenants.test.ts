// Case D4: one tenant cannot read, link or detect data of another. Every operation gets ids of another partner, one
// field at a time, and values that one partner uses are free for the next.
import { operations } from '@muster/areas/registry.ts'
import type { Scope } from '@muster/kit/contract.ts'
import { levels } from '@muster/testkit/stage.ts'
import type { Person } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { exampleOf } from './example-of.ts'
import { probe } from './probe.ts'
import { buildStage } from './stage.ts'

const mine = await buildStage()
const theirs = await buildStage()
const theirIds = new Set(Object.values(theirs.stage).filter((value) => typeof value === 'string'))

const holdsTheirs = (value: unknown): boolean =>
  typeof value === 'string' ? theirIds.has(value) : Array.isArray(value) && value.some(holdsTheirs)

/** The own input with one field at a time replaced by that of the other partner. */
function swapped(own: object, foreign: object): { field: string; input: object }[] {
  return Object.entries(foreign)
    .filter(([field, value]) => holdsTheirs(value) && JSON.stringify(value) !== JSON.stringify(Reflect.get(own, field)))
    .map(([field, value]) => ({ field, input: { ...own, [field]: value } }))
}

const people: readonly { scope: Scope; who: Person; them: Person }[] = [
  { scope: 'partner', who: mine.world.partnerAdmin, them: theirs.world.partnerAdmin },
  { scope: 'organization', who: mine.world.orgAdmin, them: theirs.world.orgAdmin },
]
const guarded = operations.filter(({ endpoint }) => endpoint.access.who !== 'public')

describe("another partner's ids", () => {
  const cases = guarded.flatMap((operation) =>
    people
      .filter(({ scope }) => operation.endpoint.access.scopes.includes(scope))
      .flatMap(({ scope, who }) => {
        const example = exampleOf(operation)
        const [own, foreign] = [mine, theirs].map(({ stage }) => example.input(stage, scope) as object)
        return swapped(own ?? {}, foreign ?? {}).map((swap) => ({ ...swap, operation, example, scope, who }))
      }),
  )

  it('are tried in every operation that takes an id', () => {
    const withPath = guarded.filter(({ endpoint: { path, access } }) => path.includes('/:') && access.scopes.length > 1)
    const tried = new Set(cases.map(({ operation }) => operation.id))
    // Agent versions belong to no tenant.
    const own = ['auth.', 'api', 'users.profile', 'agentVersions.']
    expect(
      withPath.map(({ id }) => id).filter((id) => !tried.has(id) && !own.some((each) => id.startsWith(each))),
    ).toEqual([])
  })

  it.each(cases.map((one) => ({ ...one, id: one.operation.id })))(
    '$id refuses $field for $scope scope',
    async ({ operation, example, input, who }) => {
      const answer = await probe(operation, who, input)
      expect(answer.failure).toBeNull()
      for (const level of levels) expect(answer.text).not.toContain(theirs.marks[level])
      // Bulk operations answer for each id.
      if (example.lists !== true && example.skipsHidden !== true) expect([400, 403, 404]).toContain(answer.status)
    },
  )
})

describe('a value that another partner uses', () => {
  const creating = guarded.filter(
    ({ endpoint: { status, access } }) => status === 201 && access.scopes.includes('partner'),
  )

  it.each(creating.map((operation) => ({ id: operation.id, operation })))('is free for $id', async ({ operation }) => {
    const example = exampleOf(operation)
    const taken = `taken-${mine.stage.fresh()}`.replace('-', '')
    const fresh = () => taken
    const theirInput = example.input({ ...theirs.stage, fresh }, 'partner')
    const first = await probe(operation, theirs.world.partnerAdmin, theirInput, { lasting: true })
    const [ownInput, other] = [mine.stage, mine.stage].map((stage, index) =>
      example.input({ ...stage, fresh: index === 0 ? fresh : () => stage.fresh() }, 'partner'),
    )
    const same = await probe(operation, mine.world.partnerAdmin, ownInput)
    const control = await probe(operation, mine.world.partnerAdmin, other)
    expect({ status: same.status, message: same.message }).toEqual({ status: control.status, message: control.message })
    expect(first.failure).toBeNull()
  })
})
