import type { ExamplesOf } from '../../examples.ts'
import type { devices } from './devices.contract.ts'
import type { inventory } from './inventory/inventory.contract.ts'
import type { tags } from './tags.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    /** In the site and in the group. */
    readonly device: string
    /** In the site, and in no group. */
    readonly otherDevice: string
    /** Of the other organization. */
    readonly otherOrgDevice: string
  }
}

const subject = 'device'

export const devicesExamples: ExamplesOf<typeof devices> = {
  list: { subject, lists: true, input: () => ({ limit: 100 }) },
  get: { subject, input: ({ device }) => ({ id: device }) },
  metrics: { subject, hidesSubject: true, input: ({ device }) => ({ id: device, minutes: 60 }) },
}

export const inventoryExamples: ExamplesOf<typeof inventory> = {
  changes: { subject, hidesSubject: true, input: ({ device }) => ({ id: device }) },
}

export const tagsExamples: ExamplesOf<typeof tags> = {
  list: { subject, lists: true, input: () => ({ limit: 100 }) },
  devices: { subject, lists: true, input: () => ({ tag: 'sample' }) },
  assign: { subject, lists: true, input: ({ device }) => ({ deviceIds: [device], add: ['more'] }) },
}
