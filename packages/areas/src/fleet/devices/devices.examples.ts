import type { ExamplesOf } from '../../examples.ts'
import type { devices } from './devices.contract.ts'
import type { inventory } from './inventory/inventory.contract.ts'
import type { tags } from './tags.contract.ts'

const about = 'device'

export const devicesExamples: ExamplesOf<typeof devices> = {
  list: { about, lists: true, input: () => ({ limit: 100 }) },
  get: { about, input: ({ device }) => ({ id: device }) },
  metrics: { about, quiet: true, input: ({ device }) => ({ id: device, minutes: 60 }) },
}

export const inventoryExamples: ExamplesOf<typeof inventory> = {
  changes: { about, quiet: true, input: ({ device }) => ({ id: device }) },
}

export const tagsExamples: ExamplesOf<typeof tags> = {
  list: { about, lists: true, input: () => ({ limit: 100 }) },
  devices: { about, lists: true, input: () => ({ tag: 'sample' }) },
  assign: { about, lists: true, input: ({ device }) => ({ deviceIds: [device], add: ['more'] }) },
}
