import type { ExamplesOf } from '../../examples.ts'
import type { lifecycle } from './lifecycle.contract.ts'

export const lifecycleExamples: ExamplesOf<typeof lifecycle> = {
  update: { about: 'device', input: ({ device }) => ({ id: device, displayName: 'Front desk' }) },
  // The other organisation has to be in reach as well.
  moveOrg: {
    about: 'device',
    reach: { selected: false },
    input: ({ device, otherOrg }) => ({ id: device, orgId: otherOrg }),
  },
  remove: { about: 'device', input: ({ device }) => ({ id: device }) },
  quarantine: { about: 'device', input: ({ device }) => ({ id: device, reason: 'Stolen' }) },
  // It is neither quarantined nor taken for another one.
  release: { about: 'device', answers: [409], input: ({ device }) => ({ id: device }) },
  dismissDuplicates: { about: 'device', answers: [409], input: ({ device }) => ({ id: device }) },
}
