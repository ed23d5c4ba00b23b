import type { ExamplesOf } from '../../examples.ts'
import type { pins } from './pins.contract.ts'
import type { rollouts, stop } from './rollouts.contract.ts'
import type { updates } from './updates/updates.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    /** A rollout that has ended. */
    readonly rollout: string
    /** Of the organization as a whole. */
    readonly versionPin: string
  }
}

const subject = 'own'
/** The rollout of the stage has ended. */
const answers = [409]

export const rolloutsExamples: ExamplesOf<typeof rollouts> = {
  list: { subject, input: () => ({}) },
  get: { subject, input: ({ rollout }) => ({ id: rollout }) },
  create: { subject, answers: [404, 409], input: () => ({ version: '1.0.0' }) },
  pause: { subject, answers, input: ({ rollout }) => ({ id: rollout }) },
  resume: { subject, answers, input: ({ rollout }) => ({ id: rollout }) },
  cancel: { subject, answers, input: ({ rollout }) => ({ id: rollout }) },
}

export const stopExamples: ExamplesOf<typeof stop> = {
  get: { subject, input: () => ({}) },
  set: { subject, input: () => ({ reason: 'Bad build' }) },
  lift: { subject, input: () => ({}) },
}

/** A pin of the whole organization shows to those who reach all of it. */
const limited = { siteMember: false, otherSiteMember: false, groupMember: false, otherGroupMember: false }
const refuses = { siteMember: 403, otherSiteMember: 403, groupMember: 403, otherGroupMember: 403 }

export const pinsExamples: ExamplesOf<typeof pins> = {
  list: { subject: 'organization', reach: limited, lists: true, input: () => ({ limit: 100 }) },
  set: { subject: 'organization', refuses, input: ({ org }) => ({ orgId: org, version: '1.0.0' }) },
  remove: { subject: 'organization', reach: limited, input: ({ versionPin }) => ({ id: versionPin }) },
}

export const updatesExamples: ExamplesOf<typeof updates> = {
  get: { subject: 'device', input: ({ device }) => ({ id: device }) },
  stuck: { subject: 'device', lists: true, hidesSubject: true, input: () => ({ limit: 100 }) },
}
