import { operations } from '@muster/areas/registry.ts'
import { expect, test } from 'vitest'
import { britishIn } from './british.ts'

/** The verbs that a summary begins with. Prefer the first line; add a verb only when none of these fits. */
const verbs = new Set(
  `List Get Create Update Delete Run Revoke Add Remove Set Send Search Start Stop
  Accept Acknowledge Approve Cancel Change Clone Complete Confirm Decommission Disable Dismiss Download Enable End Enroll Exchange Export
  Force Handle Import Invite Lift Move Pause Pin Preview Provision Quarantine Redirect Refuse Register Release Rename Replace
  Replay Request Resend Reset Resolve Restart Resume Retry Rotate Sign Stream Suppress Switch Test Unlink Unpin Upload Verify`.split(
    /\s+/,
  ),
)
const summaries = operations.map(({ id, endpoint }) => ({ id, summary: endpoint.summary }))

test('every summary of an operation begins with a known verb and ends without a period', () => {
  const wrong = summaries.filter(({ summary }) => !verbs.has(summary.split(' ', 1)[0] ?? '') || summary.endsWith('.'))
  expect(wrong).toEqual([])
})

test('no summary of an operation has a British spelling', () => {
  expect(summaries.filter(({ summary }) => britishIn(summary).length > 0)).toEqual([])
})
