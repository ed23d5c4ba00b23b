import type { ExamplesOf } from '../../examples.ts'
import type { compliance } from './compliance/compliance.contract.ts'
import type { devicePolicies } from './devices/devices.contract.ts'
import type { exceptions } from './exceptions/exceptions.contract.ts'
import type { policies } from './policies.contract.ts'
import type { remediation } from './remediation/remediation.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    /** A draft of the organization of the stage. */
    readonly policy: string
    /** An active one, which the device of the stage does not keep. */
    readonly activePolicy: string
    /** Of the active policy. */
    readonly policyException: string
  }
}

const subject = 'organization'
/** A policy concerns devices of the whole organization. */
const limited = { siteMember: 403, otherSiteMember: 403, groupMember: 403, otherGroupMember: 403 }
const others = { ...limited, otherOrgAdmin: 403, foreignOrgAdmin: 403 }
/** They see no device of the policies. */
const reach = { otherSiteMember: false, otherGroupMember: false }
const unseen = { siteMember: 403, groupMember: 403 }
const rules = [{ key: 'os', type: 'os.version' as const, min: '11' }]

export const policiesExamples: ExamplesOf<typeof policies> = {
  list: { subject, lists: true, reach, input: () => ({ limit: 100 }) },
  create: {
    subject,
    refuses: others,
    input: (stage) => ({ orgId: stage.org, name: `Policy ${stage.fresh()}`, rules }),
  },
  get: { subject, reach, input: ({ policy }) => ({ id: policy }) },
  replace: {
    subject,
    reach,
    refuses: unseen,
    input: (stage) => ({ id: stage.policy, name: `Policy ${stage.fresh()}`, rules }),
  },
  update: { subject, reach, refuses: unseen, input: ({ policy }) => ({ id: policy, priority: 200 }) },
  remove: { subject, reach, refuses: unseen, input: ({ policy }) => ({ id: policy }) },
  activate: { subject, reach, refuses: unseen, input: ({ policy }) => ({ id: policy }) },
  deactivate: { subject, reach, refuses: unseen, input: ({ activePolicy }) => ({ id: activePolicy }) },
}

export const complianceExamples: ExamplesOf<typeof compliance> = {
  stats: { subject, lists: true, reach, input: () => ({}) },
  summary: { subject, lists: true, refuses: limited, input: () => ({}) },
  list: { subject, reach, input: ({ activePolicy }) => ({ id: activePolicy }) },
  transitions: { subject, reach, input: ({ activePolicy }) => ({ id: activePolicy }) },
  evaluate: { subject, reach, refuses: unseen, input: ({ activePolicy }) => ({ id: activePolicy }) },
}

export const exceptionsExamples: ExamplesOf<typeof exceptions> = {
  list: { subject, refuses: limited, input: ({ activePolicy }) => ({ id: activePolicy }) },
  create: {
    subject,
    reach,
    refuses: unseen,
    input: ({ activePolicy, device }) => ({ id: activePolicy, deviceId: device, reason: 'It is being replaced' }),
  },
  remove: {
    subject,
    reach,
    refuses: unseen,
    input: ({ activePolicy, policyException }) => ({ id: activePolicy, exceptionId: policyException }),
  },
}

export const devicePoliciesExamples: ExamplesOf<typeof devicePolicies> = {
  get: { subject: 'device', hidesSubject: true, input: ({ device }) => ({ id: device }) },
}

export const remediationExamples: ExamplesOf<typeof remediation> = {
  remediate: { subject, reach, refuses: unseen, input: ({ activePolicy }) => ({ id: activePolicy, dryRun: true }) },
}
