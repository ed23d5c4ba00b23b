import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { session } from '../auth/sign-in/session.contract.ts'
import { users } from '../users/users.contract.ts'
import { remindReviewers } from './reminders.jobs.ts'
import { reviews } from './reviews.contract.ts'

const { system } = await testServices()
const here = await world()
const admin = here.partnerAdmin
type World = Awaited<ReturnType<typeof world>>
const partnerOf = ({ partner }: World) => ({ scope: 'partner', partnerId: partner.id }) as const
const begin = (who = admin, more: object = {}) => call(who, reviews.create, { name: 'Quarterly', ...more })

/** A review of a new partner with all members approved except the given ones. */
async function decided(there: World, revoked: readonly string[]) {
  const who = there.partnerAdmin
  const { id } = await begin(who)
  const { items } = await call(who, reviews.get, { id })
  for (const item of items) {
    const isRevoked = revoked.includes(item.userId)
    const decision = isRevoked ? 'revoked' : 'approved'
    await call(who, reviews.decide, { id, itemId: item.id, decision, reason: isRevoked ? 'Left' : null })
  }
  return id
}

describe('an access review', () => {
  it('is a snapshot of the memberships and does not show later changes', async () => {
    const there = await world()
    const { id, ...review } = await begin(there.partnerAdmin)
    expect(review).toMatchObject({ status: 'open', items: 2, pending: 2, approved: 0, revoked: 0, orgId: null })
    expect(Date.parse(review.dueAt) - Date.now()).toBeGreaterThan(13 * 86_400_000)
    await call(there.partnerAdmin, users.update, { id: there.partnerViewer.userId, name: 'Renamed' })
    const { items } = await call(there.partnerAdmin, reviews.get, { id })
    const viewer = items.find(({ userId }) => userId === there.partnerViewer.userId)
    expect(viewer).toMatchObject({
      userEmail: there.partnerViewer.email,
      roleName: 'Partner Viewer',
      orgAccess: 'all',
      decision: 'pending',
    })
    expect(viewer?.userName).not.toBe('Renamed')
    expect(await auditOf(id)).toMatchObject([{ action: 'access_review.create', partner_id: there.partner.id }])
  })

  it('can include the members of the organizations, or cover one organization', async () => {
    const there = await world()
    const all = await begin(there.partnerAdmin, { includeOrganizations: true })
    expect(all).toMatchObject({ items: 3, includesOrganizations: true })
    const { items } = await call(there.partnerAdmin, reviews.get, { id: all.id })
    expect(items.find(({ userId }) => userId === there.orgAdmin.userId)).toMatchObject({
      memberOrgName: there.org.name,
    })
    expect(await begin(there.orgAdmin)).toMatchObject({ orgId: there.org.id, items: 1 })
    expect(await begin(there.partnerAdmin, { orgId: there.org.id })).toMatchObject({ orgId: there.org.id, items: 1 })
  })

  it('requires a due date in the future', async () => {
    expect(await refusal(begin(admin, { dueAt: '2020-01-01' }))).toMatchObject({ status: 400 })
  })

  it('is visible to and changed by its own tenant only', async () => {
    const elsewhere = await world()
    const { id } = await begin()
    const attempts: Promise<unknown>[] = [
      call(elsewhere.partnerAdmin, reviews.get, { id }),
      call(elsewhere.partnerAdmin, reviews.complete, { id }),
      call(here.orgAdmin, reviews.get, { id }),
      call(elsewhere.partnerAdmin, reviews.decide, { id, itemId: id, decision: 'approved' }),
    ]
    for (const response of await Promise.all(attempts.map(refusal))) expect(response).toMatchObject({ status: 404 })
    const { data } = await call(elsewhere.partnerAdmin, reviews.list, {})
    expect(data).toEqual([])
    expect((await call(admin, reviews.list, { status: 'open' })).data.map((review) => review.id)).toContain(id)
  })

  it('requires access to all organizations of partner reviewers: 403', async () => {
    const selected = await person(partnerOf(here), {
      role: 'Partner Admin',
      orgAccess: 'selected',
      orgIds: [here.org.id],
    })
    const { id } = await begin()
    const attempts: Promise<unknown>[] = [
      begin(selected),
      call(selected, reviews.list, {}),
      call(selected, reviews.get, { id }),
      call(selected, reviews.decide, { id, itemId: id, decision: 'approved' }),
      call(selected, reviews.complete, { id }),
    ]
    for (const response of await Promise.all(attempts.map(refusal))) {
      expect(response).toMatchObject({ status: 403, message: 'Full partner organization access required' })
    }
  })
})

describe('a decision', () => {
  it('can be made, changed and withdrawn, with an audit record', async () => {
    const { id } = await begin()
    const { items } = await call(admin, reviews.get, { id })
    const itemId = items[0]?.id ?? ''
    await call(admin, reviews.decide, { id, itemId, decision: 'approved' })
    const revoked = await call(admin, reviews.decide, { id, itemId, decision: 'revoked', reason: 'Left the company' })
    expect(revoked).toMatchObject({ decision: 'revoked', reason: 'Left the company', decidedBy: admin.userId })
    expect(await call(admin, reviews.get, { id, decision: 'revoked' })).toMatchObject({
      revoked: 1,
      items: [{ id: itemId }],
    })
    const back = await call(admin, reviews.decide, { id, itemId, decision: 'pending' })
    expect(back).toMatchObject({ decision: 'pending', reason: null, decidedBy: null, decidedAt: null })
    expect((await auditOf(id)).map(({ action }) => action)).toEqual([
      'access_review.create',
      'access_review.decide',
      'access_review.decide',
      'access_review.decide',
    ])
  })

  it('to revoke requires a reason', async () => {
    const { id } = await begin()
    const { items } = await call(admin, reviews.get, { id })
    const itemId = items[0]?.id ?? ''
    for (const reason of [undefined, null, '  ']) {
      expect(await refusal(call(admin, reviews.decide, { id, itemId, decision: 'revoked', reason }))).toMatchObject({
        status: 400,
        message: 'reason: is required for a revocation',
      })
    }
  })
})

describe('completion', () => {
  it('requires a decision on each membership', async () => {
    const there = await world()
    const { id } = await begin(there.partnerAdmin)
    const early = await refusal(call(there.partnerAdmin, reviews.complete, { id }))
    expect(early).toMatchObject({ status: 400, extra: { pending: 2 } })
  })

  it('revokes all rejected memberships at once and ends the sessions of their users', async () => {
    const there = await world()
    const leaver = await person(partnerOf(there), { role: 'Partner Technician' })
    const id = await decided(there, [leaver.userId, there.partnerViewer.userId])
    const done = await call(there.partnerAdmin, reviews.complete, { id })
    expect(done).toMatchObject({ status: 'completed', approved: 1, revoked: 2, completedBy: there.partnerAdmin.userId })
    for (const gone of [leaver, there.partnerViewer]) {
      expect(await refusal(call(gone, session.me, {}))).toMatchObject({ status: 401 })
      expect((await auditOf(gone.userId)).at(-1)).toMatchObject({
        action: 'user.remove',
        details: { accessReview: id, reason: 'Left' },
      })
    }
    const { items } = await call(there.partnerAdmin, reviews.get, { id })
    expect(items.map(({ outcome }) => outcome).sort()).toEqual(['kept', 'revoked', 'revoked'])
    expect((await auditOf(id)).at(-1)).toMatchObject({ action: 'access_review.complete' })
  })

  it('changes nothing when one revocation is rejected because of the last administrator', async () => {
    const there = await world()
    const id = await decided(there, [there.partnerAdmin.userId, there.partnerViewer.userId])
    expect(await refusal(call(there.partnerAdmin, reviews.complete, { id }))).toMatchObject({ status: 409 })
    expect((await call(there.partnerAdmin, users.list, {})).pagination.total).toBe(2)
    expect(await call(there.partnerAdmin, reviews.get, { id })).toMatchObject({ status: 'open' })
  })

  it('marks members who left before', async () => {
    const there = await world()
    const id = await decided(there, [there.partnerViewer.userId])
    await call(there.partnerAdmin, users.remove, { id: there.partnerViewer.userId })
    await call(there.partnerAdmin, reviews.complete, { id })
    const { items } = await call(there.partnerAdmin, reviews.get, { id, decision: 'revoked' })
    expect(items).toMatchObject([{ outcome: 'gone' }])
  })

  it('happens once and closes the review', async () => {
    const there = await world()
    const id = await decided(there, [])
    const who = there.partnerAdmin
    const outcomes = await Promise.allSettled([
      call(who, reviews.complete, { id }),
      call(who, reviews.complete, { id }),
    ])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const { items } = await call(who, reviews.get, { id })
    const late = { id, itemId: items[0]?.id ?? '', decision: 'pending' } as const
    expect(await refusal(call(who, reviews.decide, late))).toMatchObject({ status: 409 })
  })
})

describe('reminders', () => {
  const mails = async (email: string) => {
    const { rows } = await system.query<{ template: string; data: { url: string } }>(
      'SELECT template, data FROM mail_outbox WHERE to_address = $1 ORDER BY created_at',
      [email],
    )
    return rows
  }
  const remind = () => remindReviewers(system, 'https://muster.test')

  it('are sent three days before, once a day, and when the review is overdue', async () => {
    const there = await world()
    const { email } = there.partnerAdmin
    const { id } = await begin(there.partnerAdmin)
    await remind()
    expect(await mails(email)).toEqual([])
    await system.query(`UPDATE access_reviews SET due_at = now() + interval '2 days' WHERE id = $1`, [id])
    await remind()
    await remind()
    expect(await mails(email)).toMatchObject([
      { template: 'access-review-reminder', data: { url: `https://muster.test/access-reviews/${id}` } },
    ])
    await system.query(`UPDATE access_reviews SET due_at = now() - interval '1 hour' WHERE id = $1`, [id])
    await remind()
    await remind()
    expect((await mails(email)).map(({ template }) => template)).toEqual([
      'access-review-reminder',
      'access-review-overdue',
    ])
    expect(await call(there.partnerAdmin, reviews.get, { id })).toMatchObject({ status: 'overdue' })
  })
})
