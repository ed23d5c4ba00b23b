import type { ExamplesOf } from '../../examples.ts'
import type { lifecycle } from './lifecycle.contract.ts'

export const lifecycleExamples: ExamplesOf<typeof lifecycle> = {
  update: { subject: 'device', input: ({ device }) => ({ id: device, displayName: 'Front desk' }) },
  // The other organization has to be in reach as well.
  moveOrg: {
    subject: 'device',
    reach: { selected: false },
    input: ({ device, otherOrg }) => ({ id: device, orgId: otherOrg }),
  },
  remove: { subject: 'device', input: ({ device }) => ({ id: device }) },
  quarantine: { subject: 'device', input: ({ device }) => ({ id: device, reason: 'Stolen' }) },
  // It is neither quarantined nor taken for another one.
  release: { subject: 'device', answers: [409], input: ({ device }) => ({ id: device }) },
  dismissDuplicates: { subject: 'device', answers: [409], input: ({ device }) => ({ id: device }) },
}
