import { badRequest, conflict, notFound } from '@muster/kit/errors.ts'
import { type Call, implement } from '../operation.ts'
import { keepingAnAdministrator } from '../roles/index.ts'
import { requireWholePartner, tenantOf } from '../tenancy/index.ts'
import { memberOfMembership, removeMember } from '../users/index.ts'
import { type AccessReview, reviews as contract } from './reviews.contract.ts'
import { type Item, itemsOf, reviewById, reviewsOf, takeSnapshot } from './reviews.queries.ts'

const usualMs = 14 * 24 * 3_600_000

export default implement(contract, {
  async list({ caller, input: { status, page, limit, ...named }, db }) {
    requireWholePartner(caller)
    return reviewsOf(db, await tenantOf(db, caller, named), { status, page, limit })
  },

  async create({ caller, input, db, audit, services }) {
    requireWholePartner(caller)
    const { name, description = null, includeOrganizations, ...named } = input
    const tenant = await tenantOf(db, caller, named)
    const now = services.clock.now()
    const dueAt = input.dueAt ?? new Date(now + usualMs).toISOString()
    if (Date.parse(dueAt) <= now) throw badRequest('dueAt must be in the future')
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
    requireWholePartner(caller)
    const { items: itemCount, ...review } = await reviewById(db, caller, input.id)
    return { ...review, itemCount, items: await itemsOf(db, review.id, input.decision) }
  },

  async decide({ caller, input, db, audit, services }) {
    requireWholePartner(caller)
    const review = requireOpen(await reviewById(db, caller, input.id, 'to change'))
    const item = await db
      .selectFrom('accessReviewItems')
      .selectAll()
      .where('id', '=', input.itemId)
      .where('reviewId', '=', review.id)
      .executeTakeFirst()
    if (item === undefined) throw notFound('Access review item')
    const { decision, reason = null } = input
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
    const { caller, input, db, audit, services, after: effect } = call
    requireWholePartner(caller)
    const review = requireOpen(await reviewById(db, caller, input.id, 'to change'))
    if (review.pending > 0) {
      throw badRequest(`${review.pending} memberships are not decided on yet`, { pending: review.pending })
    }
    const { partnerId, orgId } = review
    await keepingAnAdministrator(db, orgId === null ? partnerId : null, () => carryOut(call, review))
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
    effect(() => services.callers.clear())
    return completed
  },
})

function requireOpen(review: AccessReview): AccessReview {
  if (review.status === 'completed') throw conflict('This access review is completed')
  return review
}

async function carryOut(call: Call, review: AccessReview): Promise<void> {
  for (const item of await itemsOf(call.db, review.id)) {
    const outcome = item.decision === 'revoked' ? await revoke(call, item, review) : 'kept'
    await call.db.updateTable('accessReviewItems').set({ outcome }).where('id', '=', item.id).execute()
  }
}

/** Takes the membership away, unless it went by itself since the snapshot. */
async function revoke({ db, services, audit }: Call, item: Item, review: AccessReview) {
  const member = await memberOfMembership(db, review.partnerId, item.membershipId)
  if (member === null) return 'gone' as const
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
