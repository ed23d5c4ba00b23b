import { id, time } from '@muster/kit/contract.ts'
import { z } from 'zod'

export const ApprovalStatus = z.enum(['pending', 'approved', 'refused', 'withdrawn', 'expired'])
export type ApprovalStatus = z.infer<typeof ApprovalStatus>

/** A command that reaches far and waits for a second person. */
export const ApprovalSummary = z.object({
  id: id(),
  /** Of all its devices; null when they are in several. */
  orgId: id().nullable(),
  partnerId: id().nullable(),
  type: z.string(),
  status: ApprovalStatus,
  /** How many devices it is for. */
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
