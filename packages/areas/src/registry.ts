// What the gates and the doors read off the areas: every operation with its handler, and an example of each.
import { operationsOf } from '@muster/kit/call.ts'
import type { AnyArea } from './area.ts'
import { areas } from './areas.ts'
import type { Example } from './examples.ts'
import type { Operation } from './operation.ts'

type ByName<T> = Readonly<Record<string, Readonly<Record<string, T>>>>

/** A part of every area, merged where areas share a name. */
function merged<T>(part: (area: AnyArea) => Readonly<Record<string, T>>): ByName<T> {
  const named = Map.groupBy(areas, ({ name }) => name)
  return Object.fromEntries([...named].map(([name, its]) => [name, Object.assign({}, ...its.map(part))]))
}

export const operations: readonly Operation[] = operationsOf(merged(({ handlers }) => handlers))

/** The examples by area, resource and verb. */
export const examples: Readonly<Record<string, ByName<Example<unknown>>>> = merged((area) => area.examples)
