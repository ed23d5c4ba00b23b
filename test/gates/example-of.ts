import type { Example } from '@muster/areas/examples.ts'
import { examples } from '@muster/areas/registry.ts'

/** The example of the operation with this id. */
export function exampleOf({ id }: { readonly id: string }): Example<unknown> {
  const [area = '', resource = '', verb = ''] = id.split('.')
  const found = examples[area]?.[resource]?.[verb]
  if (found === undefined) throw new Error(`${id} has no example`)
  return found
}
