import type { ExamplesOf } from '../../examples.ts'
import type { approvals } from './approvals/approvals.contract.ts'
import type { autoUpdate } from './auto-update/auto-update.contract.ts'
import type { commands } from './commands.contract.ts'
import type { output } from './output/output.contract.ts'
import type { stops } from './stops/stops.contract.ts'

const about = 'device'

const unknownId = '00000000-0000-4000-8000-000000000000'

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

export const outputExamples: ExamplesOf<typeof output> = {
  // The command of the stage waits for a device that never comes: it has nothing to show yet.
  follow: { about, quiet: true, input: ({ device, command }) => ({ id: device, commandId: command }) },
}

export const approvalsExamples: ExamplesOf<typeof approvals> = {
  list: { about: 'own', input: () => ({ limit: 100 }) },
  get: { about: 'own', answers: [404], input: () => ({ id: unknownId }) },
  approve: { about: 'own', answers: [404], input: () => ({ id: unknownId, hash: 'sample' }) },
  refuse: { about: 'own', answers: [404], input: () => ({ id: unknownId }) },
  required: { about: 'own', input: () => ({}) },
  require: {
    about: 'own',
    whole: true,
    input: () => ({ required: true }),
    proves: () => ({ required: false }),
  },
}

export const stopsExamples: ExamplesOf<typeof stops> = {
  get: { about: 'own', input: () => ({}) },
  set: { about: 'own', answers: [403, 404], input: () => ({ partnerId: unknownId, reason: 'Drill' }) },
  lift: { about: 'own', answers: [403, 404, 409], input: () => ({ partnerId: unknownId }) },
}
