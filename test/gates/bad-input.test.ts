// Case B1: every operation with inputs generated from its own schema. Every answer is one that the operation declares,
// never an internal error or an endless wait.
import { operations } from '@muster/areas/registry.ts'
import type { Scope } from '@muster/kit/contract.ts'
import type { Person } from '@muster/testkit/world.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { triesOf } from './budget.ts'
import { exampleOf } from './example-of.ts'
import { inputsFor } from './generated-input.ts'
import { probe } from './probe.ts'
import { runs } from './runs.ts'
import { buildStage } from './stage.ts'

const { stage, world } = await buildStage()
const hangMs = 5_000
const people: readonly { scope: Scope; who: Person }[] = [
  { scope: 'partner', who: world.partnerAdmin },
  { scope: 'organization', who: world.orgAdmin },
  { scope: 'system', who: world.systemAdmin },
]
/** Each of these may compute a password hash, and this machine computes about a hundred per second. */
const costly = /^auth\.(session\.login|password|registration|mfa|passkeys|phone)|acceptInvite$/

describe.concurrent.each(operations.map((operation) => ({ id: operation.id, operation })))(
  '$id',
  ({ id, operation }) => {
    it('answers any input with a declared status', { timeout: 120_000 }, async () => {
      const { access, input } = operation.endpoint
      const askers = people.filter(({ scope }) => access.scopes.includes(scope))
      const { headers } = exampleOf(operation)
      const right = exampleOf(operation).input(stage, askers[0]?.scope ?? 'partner') as object
      const property = fc.asyncProperty(fc.nat(askers.length - 1), inputsFor(input, right), async (index, given) => {
        const began = performance.now()
        // Some operations require a credential of their own.
        const answer =
          headers === undefined
            ? await probe(operation, askers[index]?.who ?? null, given)
            : await probe(operation, null, given, { headers: headers(stage) })
        expect(answer.failure).toBeNull()
        if (answer.status >= 400)
          expect(JSON.parse(answer.text)).toMatchObject({
            code: expect.stringMatching(/./),
            message: expect.stringMatching(/./),
          })
        expect(performance.now() - began).toBeLessThan(hangMs)
      })
      const tries = costly.test(id) ? 25 : triesOf(operation, { all: 200, core: 40, budget: 20_000 })
      await fc.assert(property, { numRuns: runs(tries), interruptAfterTimeLimit: 100_000 })
    })
  },
)
