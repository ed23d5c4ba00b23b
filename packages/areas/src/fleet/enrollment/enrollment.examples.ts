import type { ExamplesOf } from '../../examples.ts'
import type { agents } from './agents.contract.ts'
import type { codes } from './codes/codes.contract.ts'
import type { keys } from './keys/keys.contract.ts'
import type { provision } from './provision.contract.ts'

const about = 'organization'
/** Members limited to sites see the keys of their sites, members limited to groups see none. */
const reach = { siteMember: false, otherSiteMember: false, groupMember: false, otherGroupMember: false }
const refuses = { siteMember: 403, otherSiteMember: 403, groupMember: 403, otherGroupMember: 403 }

export const keysExamples: ExamplesOf<typeof keys> = {
  list: { about, reach, lists: true, input: () => ({ limit: 100 }) },
  get: { about, reach, input: ({ enrollmentKey }) => ({ id: enrollmentKey }) },
  create: {
    about,
    refuses,
    input: ({ org }) => ({ orgId: org, name: 'New key' }),
    proves: ({ org }) => ({ orgId: org, name: 'New key', maxUsage: null }),
  },
  rotate: {
    about,
    reach,
    input: ({ enrollmentKey }) => ({ id: enrollmentKey }),
    proves: ({ openEnrollmentKey }) => ({ id: openEnrollmentKey }),
  },
  remove: { about, reach, input: ({ enrollmentKey }) => ({ id: enrollmentKey }) },
}

export const codesExamples: ExamplesOf<typeof codes> = {
  create: {
    about,
    reach,
    quiet: true,
    input: ({ enrollmentKey }) => ({ id: enrollmentKey }),
    proves: ({ openEnrollmentKey }) => ({ id: openEnrollmentKey }),
  },
  revoke: { about, reach, quiet: true, input: ({ enrollmentKey }) => ({ id: enrollmentKey }) },
  command: { about, reach, quiet: true, input: ({ enrollmentKey }) => ({ id: enrollmentKey }) },
}

export const provisionExamples: ExamplesOf<typeof provision> = {
  create: { about, refuses, input: ({ org }) => ({ orgId: org, hostname: 'prepared' }) },
}

export const agentsExamples: ExamplesOf<typeof agents> = {
  enroll: {
    about: 'own',
    answers: [401],
    input: () => ({
      enrollmentKey: 'not-a-key',
      hostname: 'host',
      osType: 'linux' as const,
      architecture: 'x64',
      agentVersion: '1.0.0',
      publicKey: `${'B'.repeat(42)}A`,
    }),
  },
  orderKeys: { about: 'own', answers: [401], input: () => ({ certificate: 'not-a-certificate' }) },
}
