import { notFound } from '@muster/kit/errors.ts'
import { implement } from '../../operation.ts'
import { resourceTypes, schemas, serviceProviderConfig } from './messages.rules.ts'
import { listOf, scimAnswer } from './provider-call.ts'
import { discovery as contract } from './scim.contract.ts'

// The supported features are the same for all callers, and the standard allows reading them without credentials.
export default implement(contract, {
  async config() {
    return scimAnswer(serviceProviderConfig)
  },
  async resourceTypes() {
    return listOf(resourceTypes, resourceTypes.length, 1)
  },
  async resourceType({ input }) {
    return oneOf(resourceTypes, input.id, 'Resource type')
  },
  async schemas() {
    return listOf(schemas, schemas.length, 1)
  },
  async schema({ input }) {
    return oneOf(schemas, input.id, 'Schema')
  },
})

function oneOf(all: readonly { readonly id: string }[], id: string, what: string) {
  const found = all.find((each) => each.id.toLowerCase() === id.toLowerCase())
  if (found === undefined) throw notFound(what)
  return scimAnswer(found)
}
