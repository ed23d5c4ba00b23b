import type { ExamplesOf } from '../../examples.ts'
import type { pins } from './pins.contract.ts'
import type { rollouts, stop } from './rollouts.contract.ts'
import type { updates } from './updates.contract.ts'

const about = 'own'
const nobody = '00000000-0000-4000-8000-000000000000'
/** There is no rollout unless somebody began one. */
const answers = [404]

export const rolloutsExamples: ExamplesOf<typeof rollouts> = {
  list: { about, input: () => ({}) },
  get: { about, answers, input: () => ({ id: nobody }) },
  create: { about, answers: [404, 409], input: () => ({ version: '1.0.0' }) },
  pause: { about, answers, input: () => ({ id: nobody }) },
  resume: { about, answers, input: () => ({ id: nobody }) },
  cancel: { about, answers, input: () => ({ id: nobody }) },
}

export const stopExamples: ExamplesOf<typeof stop> = {
  get: { about, input: () => ({}) },
  set: { about, input: () => ({ reason: 'Bad build' }) },
  lift: { about, input: () => ({}) },
}

/** A pin of the whole organisation shows to those who reach all of it. */
const limited = { siteMember: false, otherSiteMember: false, groupMember: false, otherGroupMember: false }
const refuses = { siteMember: 403, otherSiteMember: 403, groupMember: 403, otherGroupMember: 403 }

export const pinsExamples: ExamplesOf<typeof pins> = {
  list: { about: 'organization', reach: limited, lists: true, input: () => ({ limit: 100 }) },
  set: { about: 'organization', refuses, input: ({ org }) => ({ orgId: org, version: '1.0.0' }) },
  remove: { about: 'organization', reach: limited, input: ({ versionPin }) => ({ id: versionPin }) },
}

export const updatesExamples: ExamplesOf<typeof updates> = {
  get: { about: 'device', input: ({ device }) => ({ id: device }) },
  stuck: { about: 'device', lists: true, quiet: true, input: () => ({ limit: 100 }) },
}
