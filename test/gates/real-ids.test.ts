// With an id that does not exist every caller gets 404, which proves no isolation. Examples must use existing ids.
import { operations } from '@muster/areas/registry.ts'
import { expect, it } from 'vitest'
import { exampleOf } from './example-of.ts'
import { buildStage } from './stage.ts'

const { stage } = await buildStage()
const known = new Set(Object.values(stage).filter((value) => typeof value === 'string'))
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const noWorker = 'only a worker makes dead letters and jobs, and only system scope reads them'
const noTenant = 'the id is the name of a part of the protocol'
const ofLibrary = 'the id is of the system library, which belongs to no tenant'
/** Operations whose example uses no existing id. The list only shrinks. */
const namesNothing: Readonly<Record<string, string>> = {
  'queues.deadLetters.get': noWorker,
  'queues.deadLetters.replay': noWorker,
  'queues.jobs.retry': noWorker,
  'scim.discovery.resourceType': noTenant,
  'scim.discovery.schema': noTenant,
  'scriptLibrary.templates.fill': ofLibrary,
  'scripts.systemScripts.import': ofLibrary,
}

it('the ids in examples exist', () => {
  const found = operations.filter((operation) => {
    const input: Record<string, unknown> = Object(exampleOf(operation).input(stage, 'partner'))
    return Object.entries(input).some(
      ([name, value]) => typeof value === 'string' && (name === 'id' || uuid.test(value)) && !known.has(value),
    )
  })
  expect(found.map(({ id }) => id).sort()).toEqual(Object.keys(namesNothing).sort())
})
