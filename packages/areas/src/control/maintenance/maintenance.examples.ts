import type { ExamplesOf } from '../../examples.ts'
import type { deviceMaintenance } from './maintenance.contract.ts'
import type { occurrences } from './occurrences/occurrences.contract.ts'
import type { windows } from './windows.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    readonly maintenanceWindow: string
    readonly maintenanceOccurrence: string
    readonly activeOccurrence: string
  }
}

const subject = 'organization'
/** A window without names concerns every device of its organization. */
const limited = { siteMember: 403, otherSiteMember: 403, groupMember: 403, otherGroupMember: 403 }
const others = { ...limited, otherOrgAdmin: 403, foreignOrgAdmin: 403 }

export const windowsExamples: ExamplesOf<typeof windows> = {
  list: { subject, lists: true, input: () => ({ limit: 100 }) },
  create: {
    subject,
    refuses: others,
    input: (stage) => ({
      orgId: stage.org,
      name: `Window ${stage.fresh()}`,
      durationMinutes: 60,
      startsAt: '2030-01-05T22:00',
    }),
  },
  preview: {
    subject,
    refuses: others,
    input: ({ org }) => ({ orgId: org, durationMinutes: 60, startsAt: '2030-01-05T22:00', rrule: 'FREQ=WEEKLY' }),
  },
  get: { subject, input: ({ maintenanceWindow }) => ({ id: maintenanceWindow }) },
  update: {
    subject,
    refuses: limited,
    input: ({ maintenanceWindow }) => ({ id: maintenanceWindow, description: 'Firmware of the switches' }),
  },
  remove: { subject, refuses: limited, input: ({ maintenanceWindow }) => ({ id: maintenanceWindow }) },
  cancel: { subject, refuses: limited, input: ({ maintenanceWindow }) => ({ id: maintenanceWindow }) },
  occurrences: { subject, input: ({ maintenanceWindow }) => ({ id: maintenanceWindow }) },
}

export const occurrencesExamples: ExamplesOf<typeof occurrences> = {
  list: { subject, lists: true, input: () => ({ limit: 100 }) },
  active: { subject, lists: true, input: () => ({ limit: 100 }) },
  get: { subject, input: ({ maintenanceOccurrence }) => ({ id: maintenanceOccurrence }) },
  start: { subject, refuses: limited, input: ({ maintenanceOccurrence }) => ({ id: maintenanceOccurrence }) },
  end: { subject, refuses: limited, input: ({ activeOccurrence }) => ({ id: activeOccurrence }) },
}

export const deviceMaintenanceExamples: ExamplesOf<typeof deviceMaintenance> = {
  get: { subject: 'device', hidesSubject: true, input: ({ device }) => ({ id: device }) },
}
