import type { ExamplesOf } from '../../examples.ts'
import type { agents } from './agents.contract.ts'
import type { codes } from './codes/codes.contract.ts'
import type { keys } from './keys/keys.contract.ts'
import type { provision } from './provision.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    readonly enrollmentKey: string
    /** Without an end and without a limit of uses. */
    readonly openEnrollmentKey: string
  }
}

const subject = 'organization'
/** Members limited to sites see the keys of their sites, members limited to groups see none. */
const reach = { siteMember: false, otherSiteMember: false, groupMember: false, otherGroupMember: false }
const refuses = { siteMember: 403, otherSiteMember: 403, groupMember: 403, otherGroupMember: 403 }

export const keysExamples: ExamplesOf<typeof keys> = {
  list: { subject, reach, lists: true, input: () => ({ limit: 100 }) },
  get: { subject, reach, input: ({ enrollmentKey }) => ({ id: enrollmentKey }) },
  create: {
    subject,
    refuses,
    input: ({ org }) => ({ orgId: org, name: 'New key' }),
    proves: ({ org }) => ({ orgId: org, name: 'New key', maxUsage: null }),
  },
  rotate: {
    subject,
    reach,
    input: ({ enrollmentKey }) => ({ id: enrollmentKey }),
    proves: ({ openEnrollmentKey }) => ({ id: openEnrollmentKey }),
  },
  remove: { subject, reach, input: ({ enrollmentKey }) => ({ id: enrollmentKey }) },
}

export const codesExamples: ExamplesOf<typeof codes> = {
  create: {
    subject,
    reach,
    hidesSubject: true,
    input: ({ enrollmentKey }) => ({ id: enrollmentKey }),
    proves: ({ openEnrollmentKey }) => ({ id: openEnrollmentKey }),
  },
  revoke: { subject, reach, hidesSubject: true, input: ({ enrollmentKey }) => ({ id: enrollmentKey }) },
  command: { subject, reach, hidesSubject: true, input: ({ enrollmentKey }) => ({ id: enrollmentKey }) },
}

export const provisionExamples: ExamplesOf<typeof provision> = {
  create: { subject, refuses, input: ({ org }) => ({ orgId: org, hostname: 'prepared' }) },
}

export const agentsExamples: ExamplesOf<typeof agents> = {
  enroll: {
    subject: 'own',
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
  orderKeys: { subject: 'own', answers: [401], input: () => ({ certificate: 'not-a-certificate' }) },
}
