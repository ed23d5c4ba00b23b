// An operation that is tried with the id of nothing shows no isolation: every caller gets 404. Examples name what exists.
import { operations } from '@muster/areas/registry.ts'
import { expect, it } from 'vitest'
import { exampleOf } from './example-of.ts'
import { buildStage } from './stage.ts'

const { stage } = await buildStage()
const known = new Set(Object.values(stage).filter((value) => typeof value === 'string'))
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const stopped = 'a partner whose commands are stopped would hold back the commands of the stage'
const unapproved = 'a request that waits for approval has a hash that only the operation makes'
const systemOnly = 'nothing fails or rolls out while the gates run, and only system scope may ask'
const noTenant = 'the id is the name of a part of the protocol'
/** Operations whose example names nothing. May only shrink. */
const namesNothing: Readonly<Record<string, string>> = {
  'devices.approvals.approve': unapproved,
  'devices.approvals.get': unapproved,
  'devices.approvals.refuse': unapproved,
  'devices.stops.lift': stopped,
  'devices.stops.set': stopped,
  'queues.deadLetters.get': systemOnly,
  'queues.deadLetters.replay': systemOnly,
  'queues.jobs.retry': systemOnly,
  'rollouts.rollouts.cancel': systemOnly,
  'rollouts.rollouts.get': systemOnly,
  'rollouts.rollouts.pause': systemOnly,
  'rollouts.rollouts.resume': systemOnly,
  'scim.discovery.resourceType': noTenant,
  'scim.discovery.schema': noTenant,
}

it('the ids in examples are of things that exist', () => {
  const found = operations.filter((operation) => {
    const input: Record<string, unknown> = Object(exampleOf(operation).input(stage, 'partner'))
    return Object.entries(input).some(
      ([name, value]) => typeof value === 'string' && (name === 'id' || uuid.test(value)) && !known.has(value),
    )
  })
  expect(found.map(({ id }) => id).sort()).toEqual(Object.keys(namesNothing).sort())
})
