import type {
  ApprovalStatus,
  ApprovalSummary,
} from '@muster/areas/control/commands/approvals/approval-summary.contract.ts'
import type { Tone } from '../../../ui/page/display.tsx'
import { commandWords } from './CommandMark.tsx'

export const approvalWords: Readonly<Record<ApprovalStatus, readonly [string, Tone]>> = {
  pending: ['Pending', 'warn'],
  approved: ['Approved', 'good'],
  refused: ['Rejected', 'bad'],
  withdrawn: ['Withdrawn', 'plain'],
  expired: ['Expired', 'plain'],
}

/** What is asked for: the command, or the kind of the plan with its name. */
export const approvalTitle = ({ type, subject }: Pick<ApprovalSummary, 'type' | 'subject'>): string =>
  subject !== null && typeof subject.name === 'string' ? `${commandWords(type)} ${subject.name}` : commandWords(type)
