import type { ExamplesOf } from '../examples.ts'
import type { autoUpdate } from './auto-update.contract.ts'
import type { commands } from './commands.contract.ts'
import type { devices } from './devices.contract.ts'
import type { live } from './live.contract.ts'
import type { inventory, output } from './output.contract.ts'
import type { tags } from './tags.contract.ts'

const about = 'device'

export const devicesExamples: ExamplesOf<typeof devices> = {
  list: { about, lists: true, input: () => ({ limit: 100 }) },
  get: { about, input: ({ device }) => ({ id: device }) },
  metrics: { about, quiet: true, input: ({ device }) => ({ id: device, minutes: 60 }) },
}

export const commandsExamples: ExamplesOf<typeof commands> = {
  list: { about, quiet: true, input: ({ device }) => ({ id: device }) },
  get: { about, input: ({ device, command }) => ({ id: device, commandId: command }) },
  create: { about, input: ({ device }) => ({ id: device, type: 'run_script' as const, payload: { script: 'true' } }) },
  cancel: { about, input: ({ device, command }) => ({ id: device, commandId: command }) },
  progress: { about, quiet: true, input: ({ commandBatch }) => ({ batchId: commandBatch }) },
  // Devices out of reach are named among those that failed.
  bulk: {
    about,
    lists: true,
    input: ({ device }) => ({ deviceIds: [device], type: 'run_script' as const, payload: { script: 'true' } }),
  },
}

export const autoUpdateExamples: ExamplesOf<typeof autoUpdate> = {
  set: { about, input: ({ device }) => ({ id: device, enabled: false }) },
}

export const inventoryExamples: ExamplesOf<typeof inventory> = {
  changes: { about, quiet: true, input: ({ device }) => ({ id: device }) },
}

export const outputExamples: ExamplesOf<typeof output> = {
  // The command of the stage waits for a device that never comes: it has nothing to show yet.
  follow: { about, quiet: true, input: ({ device, command }) => ({ id: device, commandId: command }) },
}

export const liveExamples: ExamplesOf<typeof live> = {
  events: { about: 'own', input: () => ({}) },
}

export const tagsExamples: ExamplesOf<typeof tags> = {
  list: { about, lists: true, input: () => ({ limit: 100 }) },
  devices: { about, lists: true, input: () => ({ tag: 'sample' }) },
  assign: { about, lists: true, input: ({ device }) => ({ deviceIds: [device], add: ['more'] }) },
}
