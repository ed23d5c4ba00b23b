import type { ExamplesOf } from '../../examples.ts'
import type { approvals } from './approvals.contract.ts'
import type { autoUpdate } from './auto-update.contract.ts'
import type { stops } from './command-stops.contract.ts'
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

const nobody = '00000000-0000-4000-8000-000000000000'

export const approvalsExamples: ExamplesOf<typeof approvals> = {
  list: { about: 'own', input: () => ({ limit: 100 }) },
  get: { about: 'own', answers: [404], input: () => ({ id: nobody }) },
  approve: { about: 'own', answers: [404], input: () => ({ id: nobody, hash: 'sample' }) },
  refuse: { about: 'own', answers: [404], input: () => ({ id: nobody }) },
  required: { about: 'own', input: () => ({}) },
  require: {
    about: 'own',
    whole: true,
    input: () => ({ required: true }),
    proves: () => ({ required: false }),
  },
}

/** Of nobody's: what the stage does next needs commands that go out. */
export const stopsExamples: ExamplesOf<typeof stops> = {
  get: { about: 'own', input: () => ({}) },
  set: { about: 'own', answers: [403, 404], input: () => ({ partnerId: nobody, reason: 'Drill' }) },
  lift: { about: 'own', answers: [403, 404, 409], input: () => ({ partnerId: nobody }) },
}

export const tagsExamples: ExamplesOf<typeof tags> = {
  list: { about, lists: true, input: () => ({ limit: 100 }) },
  devices: { about, lists: true, input: () => ({ tag: 'sample' }) },
  assign: { about, lists: true, input: ({ device }) => ({ deviceIds: [device], add: ['more'] }) },
}
