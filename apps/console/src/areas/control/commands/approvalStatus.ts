import type { ApprovalStatus } from '@muster/areas/control/commands/approvals/approval-summary.contract.ts'
import type { Tone } from '../../../ui/display.tsx'

export const approvalWords: Readonly<Record<ApprovalStatus, readonly [string, Tone]>> = {
  pending: ['Pending', 'warn'],
  approved: ['Approved', 'good'],
  refused: ['Rejected', 'bad'],
  withdrawn: ['Withdrawn', 'plain'],
  expired: ['Expired', 'plain'],
}
