import { expect, test } from 'vitest'
import { forOtherOwner, newStep, policyDraftOf } from './policyDraft.ts'

test('a draft for another owner keeps its times and severities, but no recipients and places', () => {
  const step = { ...newStep([]), afterMinutes: '20', channelIds: ['channel'], userIds: ['user'], roleIds: ['role'] }
  const match = { severities: ['critical' as const], siteIds: ['site'], ruleIds: ['rule'] }
  const draft = forOtherOwner({ ...policyDraftOf(undefined), match, steps: [step] })
  expect(draft.match).toEqual({ severities: ['critical'] })
  expect(draft.steps).toMatchObject([{ afterMinutes: '20', channelIds: [], userIds: [], roleIds: [] }])
})
