import type { ExamplesOf, Stage } from '../../examples.ts'
import type { discovery, groups, users } from './scim.contract.ts'

// No credential of a user works here: the matrix gets 401 from all of them. Bad input is sent with the provider's token.
const subject = 'own'
const answers = [401]
const headers = ({ scimToken }: Stage) => ({ authorization: `Bearer ${scimToken}` })
const provisioning = { subject, answers, headers } as const
const replaced = [{ op: 'replace', path: 'displayName', value: 'Another name' }]

export const discoveryExamples: ExamplesOf<typeof discovery> = {
  config: { subject, input: () => ({}) },
  resourceTypes: { subject, input: () => ({}) },
  resourceType: { subject, input: () => ({ id: 'User' }) },
  schemas: { subject, input: () => ({}) },
  schema: { subject, input: () => ({ id: 'urn:ietf:params:scim:schemas:core:2.0:User' }) },
}
export const scimUsersExamples: ExamplesOf<typeof users> = {
  list: { ...provisioning, input: () => ({ filter: 'userName sw "a" and active eq true' }) },
  get: { ...provisioning, input: ({ orgUser }) => ({ id: orgUser }) },
  create: { ...provisioning, input: ({ fresh }) => ({ userName: `${fresh()}@example.test` }) },
  replace: { ...provisioning, input: ({ orgUser, fresh }) => ({ id: orgUser, userName: `${fresh()}@example.test` }) },
  patch: { ...provisioning, input: ({ orgUser }) => ({ id: orgUser, Operations: replaced }) },
  remove: { ...provisioning, input: ({ orgUser }) => ({ id: orgUser }) },
}
export const scimGroupsExamples: ExamplesOf<typeof groups> = {
  list: { ...provisioning, input: () => ({ filter: 'displayName eq "Org Viewer"' }) },
  get: { ...provisioning, input: ({ orgRole }) => ({ id: orgRole }) },
  create: { ...provisioning, input: ({ fresh }) => ({ displayName: fresh() }) },
  replace: { ...provisioning, input: ({ orgRole, fresh }) => ({ id: orgRole, displayName: fresh() }) },
  patch: { ...provisioning, input: ({ orgRole }) => ({ id: orgRole, Operations: replaced }) },
  remove: { ...provisioning, input: ({ orgRole }) => ({ id: orgRole }) },
}
