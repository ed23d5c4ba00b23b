import type { ExamplesOf } from '../examples.ts'
import type { lifecycle } from './lifecycle.contract.ts'

export const lifecycleExamples: ExamplesOf<typeof lifecycle> = {
  // The other organisation has to be in reach as well.
  moveOrg: {
    about: 'device',
    reach: { selected: false },
    input: ({ device, otherOrg }) => ({ id: device, orgId: otherOrg }),
  },
  remove: { about: 'device', input: ({ device }) => ({ id: device }) },
}
