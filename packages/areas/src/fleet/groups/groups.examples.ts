import type { ExamplesOf } from '../../examples.ts'
import type { groups, members } from './groups.contract.ts'

const about = 'device'
/** Members limited to groups do not change what these are made of. */
const refuses = { groupMember: 403 }
const filter = { field: 'hostname', op: 'contains', value: 'web' } as const

export const groupsExamples: ExamplesOf<typeof groups> = {
  list: { about, lists: true, input: () => ({ limit: 100 }) },
  create: {
    about: 'site',
    // Who is limited to groups would not see the one it makes.
    refuses: { groupMember: 403, otherGroupMember: 403, otherSiteMember: 403 },
    input: (stage) => ({ orgId: stage.org, siteId: stage.site, name: stage.fresh() }),
  },
  get: { about, input: ({ group }) => ({ id: group }) },
  update: { about, input: ({ group }) => ({ id: group, description: 'What it is for' }) },
  remove: { about, refuses, input: ({ group }) => ({ id: group }) },
  preview: { about, quiet: true, input: ({ group }) => ({ id: group, filter }) },
}

export const membersExamples: ExamplesOf<typeof members> = {
  list: { about, input: ({ group }) => ({ id: group }) },
  add: { about, refuses, each: true, input: ({ group, otherDevice }) => ({ id: group, deviceIds: [otherDevice] }) },
  remove: { about, refuses, input: ({ group, device }) => ({ id: group, deviceId: device }) },
  pin: { about, refuses, input: ({ group, device }) => ({ id: group, deviceId: device }) },
  unpin: { about, refuses, input: ({ group, device }) => ({ id: group, deviceId: device }) },
  log: { about, input: ({ group }) => ({ id: group }) },
}
