import type { ExamplesOf } from '../../examples.ts'
import type { approvals } from './approvals/approvals.contract.ts'
import type { autoUpdate } from './auto-update/auto-update.contract.ts'
import type { commands } from './commands.contract.ts'
import type { output } from './output/output.contract.ts'
import type { stops } from './stops/stops.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    /** Waiting for the device. */
    readonly command: string
    /** The request that led to that command. */
    readonly commandBatch: string
    /** A request for devices of both organizations that awaits the approval of a second person. */
    readonly approval: string
  }
}

const subject = 'device'

/** A request for devices of several organizations shows to callers who reach the whole partner. */
const reach = { selected: false, selectedOther: false, none: false }

export const commandsExamples: ExamplesOf<typeof commands> = {
  list: { subject, hidesSubject: true, input: ({ device }) => ({ id: device }) },
  get: { subject, input: ({ device, command }) => ({ id: device, commandId: command }) },
  create: {
    subject,
    input: ({ device }) => ({ id: device, type: 'run_script' as const, payload: { script: 'true' } }),
  },
  cancel: { subject, input: ({ device, command }) => ({ id: device, commandId: command }) },
  progress: { subject, hidesSubject: true, input: ({ commandBatch }) => ({ batchId: commandBatch }) },
  // Devices out of reach are named among those that failed.
  bulk: {
    subject,
    lists: true,
    input: ({ device }) => ({ deviceIds: [device], type: 'run_script' as const, payload: { script: 'true' } }),
  },
}

export const autoUpdateExamples: ExamplesOf<typeof autoUpdate> = {
  set: { subject, input: ({ device }) => ({ id: device, enabled: false }) },
}

export const outputExamples: ExamplesOf<typeof output> = {
  // The command of the stage waits for a device that never comes: it has nothing to show yet.
  follow: { subject, hidesSubject: true, input: ({ device, command }) => ({ id: device, commandId: command }) },
}

export const approvalsExamples: ExamplesOf<typeof approvals> = {
  list: { subject: 'own', input: () => ({ limit: 100 }) },
  get: { subject: 'partner', reach, hidesSubject: true, input: ({ approval }) => ({ id: approval }) },
  // The hash is not that of the request.
  approve: { subject: 'partner', reach, answers: [409], input: ({ approval }) => ({ id: approval, hash: 'sample' }) },
  refuse: { subject: 'partner', reach, input: ({ approval }) => ({ id: approval }) },
  required: { subject: 'own', input: () => ({}) },
  require: {
    subject: 'own',
    wholePartnerOnly: true,
    input: () => ({ required: true }),
    proves: () => ({ required: false }),
  },
}

export const stopsExamples: ExamplesOf<typeof stops> = {
  get: { subject: 'own', input: () => ({}) },
  set: {
    subject: 'partner',
    wholePartnerOnly: true,
    input: ({ partner }) => ({ partnerId: partner, reason: 'Drill' }),
  },
  // Commands are not stopped.
  lift: {
    subject: 'partner',
    wholePartnerOnly: true,
    answers: [409],
    input: ({ partner }) => ({ partnerId: partner }),
  },
}
