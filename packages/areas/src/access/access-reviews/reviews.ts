import { badRequest, conflict, denied, notFound } from '@muster/kit/errors.ts'
import { callersOf } from '../../caller-cache.ts'
import { type Call, implement } from '../../operation.ts'
import { requireUnlimited, tenantOf } from '../../tenancy/tenancy/index.ts'
import { keepingAnAdministrator } from '../roles/index.ts'
import { memberOfMembership, removeMember, requireNotGreaterMember } from '../users/index.ts'
import { type AccessReview, reviews as contract } from './reviews.contract.ts'
import { hasOtherReviewer, type Item, itemsOf, reviewById, reviewsOf, takeSnapshot } from './reviews.queries.ts'

const defaultMs = 14 * 24 * 3_600_000

export default implement(contract, {
  async list({ caller, input: { status, page, limit, ...named }, db }) {
    requireUnlimited(caller)
    return reviewsOf(db, await tenantOf(db, caller, named), { status, page, limit })
  },

  async create({ caller, input, db, audit, services }) {
    requireUnlimited(caller)
    const { name, description = null, includeOrganizations, ...named } = input
    const tenant = await tenantOf(db, caller, named)
    const now = services.clock.now()
    const dueAt = input.dueAt ?? new Date(now + defaultMs).toISOString()
    if (Date.parse(dueAt) <= now) throw badRequest('dueAt: must be in the future')
    const { partnerId, orgId } = tenant
    const { id } = await db
      .insertInto('accessReviews')
      .values({
        name,
        description,
        partnerId,
        orgId,
        dueAt,
        createdBy: caller.userId,
        includesOrganizations: includeOrganizations && orgId === null,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await takeSnapshot(db, id, tenant, includeOrganizations)
    const review = await reviewById(db, caller, id)
    audit({ target: id, name, partnerId, orgId, details: { items: review.items, dueAt } })
    return review
  },

  async get({ caller, input, db }) {
    requireUnlimited(caller)
    const { items: itemCount, ...review } = await reviewById(db, caller, input.id)
    return { ...review, itemCount, items: await itemsOf(db, review.id, input.decision) }
  },

  async decide(call) {
    const { caller, input, db, audit, services } = call
    requireUnlimited(caller)
    const review = requireOpen(await reviewById(db, caller, input.id, 'to change'))
    const item = await db
      .selectFrom('accessReviewItems')
      .selectAll()
      .where('id', '=', input.itemId)
      .where('reviewId', '=', review.id)
      .executeTakeFirst()
    if (item === undefined) throw notFound('Access review item')
    const { decision, reason = null } = input
    if (decision === 'approved') await requireOtherReviewer(call, review, item.userId)
    if (decision === 'revoked') await requireNotGreaterMember(db, caller, item)
    const decided = decision !== 'pending'
    const after = await db
      .updateTable('accessReviewItems')
      .set({
        decision,
        reason,
        decidedBy: decided ? caller.userId : null,
        decidedAt: decided ? new Date(services.clock.now()).toISOString() : null,
      })
      .where('id', '=', item.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const { partnerId, orgId } = review
    audit({
      target: review.id,
      name: review.name,
      partnerId,
      orgId,
      before: { decision: item.decision, reason: item.reason },
      after: { decision, reason },
      details: { itemId: item.id, userId: item.userId, userEmail: item.userEmail, roleName: item.roleName },
    })
    return after
  },

  async complete(call) {
    const { caller, input, db, audit, services, afterCommit } = call
    requireUnlimited(caller)
    const review = requireOpen(await reviewById(db, caller, input.id, 'to change'))
    if (review.pending > 0) {
      throw badRequest(`${review.pending} memberships are not decided on yet`, { pending: review.pending })
    }
    const { partnerId, orgId } = review
    await applyDecisions(call, review)
    await db
      .updateTable('accessReviews')
      .set({
        status: 'completed',
        completedAt: new Date(services.clock.now()).toISOString(),
        completedBy: caller.userId,
      })
      .where('id', '=', review.id)
      .execute()
    const completed = await reviewById(db, caller, review.id)
    const { approved, revoked } = completed
    audit({
      target: review.id,
      name: review.name,
      partnerId,
      orgId,
      action: 'access_review.complete',
      details: { approved, revoked },
    })
    afterCommit(() => callersOf(services).clear())
    return completed
  },
})

function requireOpen(review: AccessReview): AccessReview {
  if (review.status === 'completed') throw conflict('This access review is completed')
  return review
}

/** @throws FORBIDDEN to reviewers who approve their own access while another reviewer could decide */
async function requireOtherReviewer({ db, caller }: Call, review: AccessReview, userId: string): Promise<void> {
  if (userId !== caller.userId || !(await hasOtherReviewer(db, review, userId))) return
  throw denied('You cannot approve your own access. Ask another reviewer to decide on it')
}

async function applyDecisions(call: Call, review: AccessReview): Promise<void> {
  const { partnerId } = review
  const items = await itemsOf(call.db, review.id)
  const concerned = items
    .filter(({ decision }) => decision === 'revoked')
    .map(({ memberOrgId: orgId }) => ({ partnerId, orgId }))
  await keepingAnAdministrator(call.db, concerned, async () => {
    for (const item of items) {
      const outcome = item.decision === 'revoked' ? await revoke(call, item, review) : 'kept'
      await call.db.updateTable('accessReviewItems').set({ outcome }).where('id', '=', item.id).execute()
    }
  })
}

/** Removes the membership, unless it ended after the snapshot. */
async function revoke({ caller, db, services, audit }: Call, item: Item, review: AccessReview) {
  const member = await memberOfMembership(db, review.partnerId, item.membershipId)
  if (member === null) return 'gone' as const
  await requireNotGreaterMember(db, caller, member)
  await removeMember(db, services, member)
  audit({
    target: member.id,
    name: member.email,
    partnerId: member.partnerId,
    orgId: member.orgId,
    action: 'user.remove',
    before: member,
    details: { accessReview: review.id, reason: item.reason },
  })
  return 'revoked' as const
}
