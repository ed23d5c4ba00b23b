import { id, time } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { CommandSubject } from '../subject.contract.ts'

export const ApprovalStatus = z.enum(['pending', 'approved', 'refused', 'withdrawn', 'expired'])
export type ApprovalStatus = z.infer<typeof ApprovalStatus>

/** A command, or a plan such as a deployment, that reaches far and waits for a second person. */
export const ApprovalSummary = z.object({
  id: id(),
  /** Of all its devices; null when they are in several. */
  orgId: id().nullable(),
  partnerId: id().nullable(),
  /** Of the command, or the kind of the plan. */
  type: z.string(),
  /** The plan, or what the command does the work of, such as a kept script with its version; null for a command as such. */
  subject: CommandSubject.nullable(),
  status: ApprovalStatus,
  /** How many devices it is for, of plans that repeat at once. */
  devices: z.number(),
  requestedBy: id(),
  /** Null where the caller does not see the user, such as a partner's user within an organization. */
  requestedByEmail: z.string().nullable(),
  decidedBy: id().nullable(),
  decidedAt: time().nullable(),
  reason: z.string().nullable(),
  /** Of the commands that it led to. */
  batchId: id().nullable(),
  createdAt: time(),
  expiresAt: time(),
})
export type ApprovalSummary = z.infer<typeof ApprovalSummary>
