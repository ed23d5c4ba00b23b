import { examples } from '@muster/areas/all-examples.ts'
import type { Example } from '@muster/areas/examples.ts'

/** The example of the operation with this id. */
export function exampleOf({ id }: { readonly id: string }): Example<unknown> {
  const [area = '', resource = '', verb = ''] = id.split('.')
  const all: Record<string, Record<string, Record<string, Example<unknown>>>> = examples
  const found = all[area]?.[resource]?.[verb]
  if (found === undefined) throw new Error(`${id} has no example`)
  return found
}
