// Case B2: for random steps of one or two actors, the service does what the model does. The answers to two concurrent
// steps must match one order of the two.
import { partners } from '@muster/areas/tenancy/tenancy/partners/partners.contract.ts'
import { call } from '@muster/testkit/call.ts'
import { world } from '@muster/testkit/world.ts'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  asOfStart,
  done,
  expected,
  type Ids,
  listed,
  organizationsMax,
  type State,
  type Step,
  shown,
  story,
} from './model.ts'
import { runs } from './runs.ts'

/** Both orders of two steps, or the only order of one. */
const orders = (steps: readonly Step[]): number[][] =>
  steps.length === 1
    ? [[0]]
    : [
        [0, 1],
        [1, 0],
      ]

interface Possible {
  readonly order: readonly number[]
  readonly statuses: readonly number[]
  readonly after: State
}
function possible(state: State, steps: readonly Step[]): Possible[] {
  return orders(steps).map((order) => {
    const statuses: number[] = []
    let after = state
    for (const index of order) {
      const step = steps[index]
      if (step === undefined) continue
      const outcome = expected(after, asOfStart(state, step))
      statuses[index] = outcome.status
      after = outcome.after
    }
    return { order, statuses, after }
  })
}

async function play(steps: readonly (readonly Step[])[]): Promise<void> {
  const there = await world()
  await call(there.systemAdmin, partners.update, { id: there.partner.id, maxOrganizations: organizationsMax })
  const ids: Ids = { org: [there.org.id, there.otherOrg.id], site: [], role: [] }
  let states: State[] = [
    { org: [there.org, there.otherOrg].map(({ name }) => ({ name, gone: false, of: null })), site: [], role: [] },
  ]
  for (const together of steps) {
    const answers = await Promise.all(together.map((step) => done(there, ids, step)))
    const statuses = answers.map(({ status }) => status)
    const fitting = states
      .flatMap((state) => possible(state, together))
      .filter((one) => String(one.statuses) === String(statuses))
    expect(fitting.length, `${JSON.stringify(together)} answered ${statuses}`).toBeGreaterThan(0)
    // The answers to two concurrent creations do not show which was first, and the order does not matter.
    const [first] = fitting
    for (const index of first?.order ?? []) {
      const { made } = answers[index] ?? {}
      const kind = together[index]?.do.slice('create'.length).toLowerCase()
      if (made !== undefined && (kind === 'org' || kind === 'site' || kind === 'role')) ids[kind].push(made)
    }
    states = fitting.map(({ after }) => after)
    const seen = await shown(there, ids)
    states = states.filter((state) => JSON.stringify(listed(state)) === JSON.stringify(seen))
    expect(states.length, `after ${JSON.stringify(together)} the lists show ${JSON.stringify(seen)}`).toBeGreaterThan(0)
  }
}

it('B2: the service does what the model does, for one actor and for two', { timeout: 3_600_000 }, async () => {
  await fc.assert(fc.asyncProperty(story, play), { numRuns: runs(100) })
})
