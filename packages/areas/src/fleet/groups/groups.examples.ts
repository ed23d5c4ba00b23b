import type { ExamplesOf } from '../../examples.ts'
import type { groups } from './groups.contract.ts'
import type { members } from './members.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    readonly group: string
    /** A group without devices. */
    readonly otherGroup: string
  }
}

const subject = 'device'
/** Members limited to groups do not change what these are made of. */
const refuses = { groupMember: 403 }
const filter = { field: 'hostname', op: 'contains', value: 'web' } as const

export const groupsExamples: ExamplesOf<typeof groups> = {
  list: { subject, lists: true, input: () => ({ limit: 100 }) },
  create: {
    subject: 'site',
    // Who is limited to groups would not see the one it makes.
    refuses: { groupMember: 403, otherGroupMember: 403, otherSiteMember: 403 },
    input: (stage) => ({ orgId: stage.org, siteId: stage.site, name: stage.fresh() }),
  },
  get: { subject, input: ({ group }) => ({ id: group }) },
  update: { subject, input: ({ group }) => ({ id: group, description: 'What it is for' }) },
  remove: { subject, refuses, input: ({ group }) => ({ id: group }) },
  preview: { subject, hidesSubject: true, input: ({ group }) => ({ id: group, filter }) },
}

export const membersExamples: ExamplesOf<typeof members> = {
  list: { subject, input: ({ group }) => ({ id: group }) },
  add: {
    subject,
    refuses,
    skipsHidden: true,
    input: ({ group, otherDevice }) => ({ id: group, deviceIds: [otherDevice] }),
  },
  remove: { subject, refuses, input: ({ group, device }) => ({ id: group, deviceId: device }) },
  pin: { subject, refuses, input: ({ group, device }) => ({ id: group, deviceId: device }) },
  unpin: { subject, refuses, input: ({ group, device }) => ({ id: group, deviceId: device }) },
  log: { subject, input: ({ group }) => ({ id: group }) },
}
