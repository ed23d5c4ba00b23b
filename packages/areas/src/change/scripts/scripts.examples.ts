import type { ExamplesOf } from '../../examples.ts'
import type { executions } from './executions/executions.contract.ts'
import type { scripts } from './scripts.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    /** A script of the organization of the stage. */
    readonly script: string
    /** Its only version. */
    readonly scriptVersion: string
    /** Another one, with a run. */
    readonly ranScript: string
    /** That run, which waits for the device of the stage. */
    readonly scriptExecution: string
  }
}

const subject = 'organization'
/** A script may run on every device of its organization. */
const limited = { siteMember: 403, otherSiteMember: 403, groupMember: 403, otherGroupMember: 403 }

export const scriptsExamples: ExamplesOf<typeof scripts> = {
  list: { subject, lists: true, input: () => ({ limit: 100 }) },
  create: {
    subject,
    refuses: { ...limited, otherOrgAdmin: 403, foreignOrgAdmin: 403 },
    input: (stage) => ({
      orgId: stage.org,
      name: `Script ${stage.fresh()}`,
      language: 'bash' as const,
      content: 'df -h "$PARAM_PATH"',
      parameters: [{ name: 'path', type: 'text' as const, default: '/', pattern: '/[a-z/]*' }],
    }),
  },
  get: { subject, input: ({ script }) => ({ id: script }) },
  update: { subject, refuses: limited, input: ({ script }) => ({ id: script, timeoutSeconds: 60 }) },
  remove: { subject, refuses: limited, input: ({ script }) => ({ id: script }) },
}

export const executionsExamples: ExamplesOf<typeof executions> = {
  // Devices out of reach are named among those that failed.
  execute: { subject, skipsHidden: true, input: ({ ranScript, device }) => ({ id: ranScript, deviceIds: [device] }) },
  preview: {
    ...{ subject, skipsHidden: true, hidesSubject: true },
    input: ({ ranScript, device }) => ({ id: ranScript, deviceIds: [device] }),
  },
  // Members who do not reach the device see no run.
  list: { subject, hidesSubject: true, input: ({ ranScript }) => ({ id: ranScript }) },
  get: { subject: 'device', input: ({ scriptExecution }) => ({ id: scriptExecution }) },
  cancel: { subject: 'device', input: ({ scriptExecution }) => ({ id: scriptExecution }) },
  output: { subject: 'device', hidesSubject: true, input: ({ scriptExecution }) => ({ id: scriptExecution }) },
}
