import {
  can,
  create,
  get,
  id,
  moment,
  nameText,
  page,
  pageOf,
  patch,
  personCan,
  post,
  time,
} from '@muster/kit/contract.ts'
import { z } from 'zod'
import { tenantInput } from '../../tenancy/tenancy/tenant.contract.ts'

const decision = z.enum(['pending', 'approved', 'revoked'])

export const AccessReview = z.object({
  id: id(),
  partnerId: id(),
  orgId: id().nullable(),
  name: z.string(),
  description: z.string().nullable(),
  status: z.enum(['open', 'overdue', 'completed']),
  includesOrganizations: z.boolean(),
  dueAt: time(),
  createdBy: id(),
  completedAt: time().nullable(),
  completedBy: id().nullable(),
  items: z.number(),
  pending: z.number(),
  approved: z.number(),
  revoked: z.number(),
  createdAt: time(),
  updatedAt: time(),
})
export type AccessReview = z.infer<typeof AccessReview>

/** One membership under review, in its state at the start of the review. */
export const ReviewItem = z.object({
  id: id(),
  reviewId: id(),
  userId: id(),
  userEmail: z.string(),
  userName: z.string(),
  memberOrgId: id().nullable(),
  memberOrgName: z.string().nullable(),
  roleId: id(),
  roleName: z.string(),
  orgAccess: z.enum(['all', 'selected', 'none']).nullable(),
  orgIds: z.array(id()).nullable(),
  siteIds: z.array(id()).nullable(),
  deviceGroupIds: z.array(id()).nullable(),
  lastLoginAt: time().nullable(),
  memberSince: time(),
  decision,
  reason: z.string().nullable(),
  decidedBy: id().nullable(),
  decidedAt: time().nullable(),
  /** The result for the membership when the review was completed. `gone` means that the member had left before. */
  outcome: z.enum(['kept', 'revoked', 'gone']).nullable(),
})
export type ReviewItem = z.infer<typeof ReviewItem>

const reason = z.string().trim().max(1_000).nullable()

export const reviews = {
  list: get('/access-reviews', {
    summary: 'List access reviews, newest first',
    access: can('users:read'),
    input: z.object({ ...tenantInput, status: AccessReview.shape.status.optional(), ...page }),
    output: pageOf(AccessReview),
  }),
  create: create('/access-reviews', {
    summary: 'Create an access review of all current memberships',
    access: personCan('users:write'),
    audit: 'access_review.create',
    input: z.object({
      name: nameText(),
      description: z.string().trim().max(1_000).nullable().optional(),
      /** Two weeks from now by default. */
      dueAt: moment().optional(),
      includeOrganizations: z.boolean().default(false),
      ...tenantInput,
    }),
    output: AccessReview,
  }),
  get: get('/access-reviews/:id', {
    summary: 'Get an access review with its memberships',
    access: can('users:read'),
    input: z.object({ id: id(), decision: decision.optional() }),
    output: AccessReview.omit({ items: true }).extend({ itemCount: z.number(), items: z.array(ReviewItem) }),
  }),
  decide: patch('/access-reviews/:id/items/:itemId', {
    summary:
      'Approve or revoke one membership of a review. A revocation needs a reason and takes effect when the review is completed',
    access: personCan('users:write'),
    audit: 'access_review.decide',
    input: z
      .object({ id: id(), itemId: id(), decision, reason: reason.optional() })
      .refine((given) => given.decision !== 'revoked' || (given.reason ?? '') !== '', {
        error: 'is required for a revocation',
        path: ['reason'],
      }),
    output: ReviewItem,
  }),
  complete: post('/access-reviews/:id/complete', {
    summary: 'Complete an access review. All decisions take effect at once',
    access: personCan('users:delete'),
    audit: ['access_review.complete', 'user.remove'],
    stepUp: 'always',
    input: z.object({ id: id() }),
    output: AccessReview,
  }),
}
