import type { ExamplesOf } from '../../examples.ts'
import type { versions } from './versions.contract.ts'

const subject = 'organization'
const limited = { siteMember: 403, otherSiteMember: 403, groupMember: 403, otherGroupMember: 403 }

export const versionsExamples: ExamplesOf<typeof versions> = {
  list: { subject, input: ({ script }) => ({ id: script }) },
  create: { subject, refuses: limited, input: ({ script }) => ({ id: script, content: 'uptime', comment: 'Shorter' }) },
  rollback: {
    subject,
    refuses: limited,
    input: ({ script, scriptVersion }) => ({ id: script, versionId: scriptVersion }),
  },
  // None of these versions waits for approval.
  approve: {
    subject,
    refuses: limited,
    answers: [409],
    input: ({ script, scriptVersion }) => ({ id: script, versionId: scriptVersion }),
  },
  reject: {
    subject,
    refuses: limited,
    answers: [409],
    input: ({ script, scriptVersion }) => ({ id: script, versionId: scriptVersion }),
  },
}
