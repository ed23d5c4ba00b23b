import { anyOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { paged } from '@muster/db/page.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import { type RawBuilder, sql } from 'kysely'
import { ofPartner, ofTenant, type Tenant, within } from '../../tenancy/tenancy/index.ts'
import type { AccessReview, ReviewItem } from './reviews.contract.ts'

const itemsMax = 10_000

const counts = sql`(SELECT count(*) FROM access_review_items i WHERE i.review_id = r.id) AS items,
  (SELECT count(*) FROM access_review_items i WHERE i.review_id = r.id AND i.decision = 'pending') AS pending,
  (SELECT count(*) FROM access_review_items i WHERE i.review_id = r.id AND i.decision = 'approved') AS approved,
  (SELECT count(*) FROM access_review_items i WHERE i.review_id = r.id AND i.decision = 'revoked') AS revoked`

/** The reviews of a tenant, newest first. */
export async function reviewsOf(
  db: Db,
  tenant: Tenant,
  { status, page, limit }: { status?: AccessReview['status'] | undefined; page: number; limit: number },
) {
  const reviews = db
    .selectFrom('accessReviews')
    .where(ofTenant(tenant, 'orgId', 'partnerId'))
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'open'))
  const ordered = reviews.select('id').orderBy('createdAt', 'desc').orderBy('id')
  const { data: ids, pagination } = await paged(ordered, { page, limit })
  const found = await withCounts(db, sql`r.id = ANY (${ids.map(({ id }) => id)}::uuid[])`)
  return { data: found, pagination }
}

async function withCounts(db: Db, condition: RawBuilder<unknown>): Promise<AccessReview[]> {
  const { rows } = await sql<AccessReview>`SELECT r.*, ${counts} FROM access_reviews r WHERE ${condition}
    ORDER BY r.created_at DESC, r.id`.execute(db)
  return rows
}

/** One review within the caller's reach. A caller that changes it takes a lock, so that decisions on a completed review fail. */
export async function reviewById(
  db: Db,
  caller: Caller,
  id: string,
  why: 'to read' | 'to change' = 'to read',
): Promise<AccessReview> {
  const found = await db
    .selectFrom('accessReviews')
    .select('id')
    .where('id', '=', id)
    .where(
      anyOf(
        within(caller, 'orgId', 'partnerId'),
        ...(caller.scope === 'partner' ? [ofPartner(caller, 'orgId', 'partnerId')] : []),
      ),
    )
    .$if(why === 'to change', (query) => query.forUpdate())
    .executeTakeFirst()
  const [review] = found === undefined ? [] : await withCounts(db, sql`r.id = ${id}`)
  if (review === undefined) throw notFound('Access review')
  return review
}

/** Whether another person can decide on this review: an active member without limits who may change users. */
export async function hasOtherReviewer(
  db: Db,
  { partnerId, orgId }: Pick<AccessReview, 'partnerId' | 'orgId'>,
  userId: string,
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    WITH RECURSIVE able AS (
      SELECT rp.role_id AS id FROM role_permissions rp JOIN permissions p ON p.id = rp.permission_id
      WHERE p.resource || ':' || p.action IN ('users:write', '*:*')
      UNION SELECT r.id FROM roles r JOIN able a ON r.parent_role_id = a.id
    ), reviewers AS (
      SELECT user_id FROM partner_users
      WHERE partner_id = ${partnerId} AND status = 'active' AND org_access = 'all' AND role_id IN (SELECT id FROM able)
      UNION ALL
      SELECT user_id FROM organization_users
      WHERE org_id = ${orgId} AND status = 'active' AND site_ids IS NULL AND device_group_ids IS NULL
        AND role_id IN (SELECT id FROM able)
    )
    SELECT EXISTS (SELECT FROM reviewers r JOIN users u ON u.id = r.user_id
      WHERE u.status = 'active' AND u.id <> ${userId}) AS found`.execute(db)
  return rows[0]?.found === true
}

export interface Item extends ReviewItem {
  readonly membershipId: string
}

/** The memberships under review, ordered by name. */
export const itemsOf = (db: Db, reviewId: string, decision?: ReviewItem['decision']): Promise<Item[]> =>
  db
    .selectFrom('accessReviewItems')
    .selectAll()
    .where('reviewId', '=', reviewId)
    .$if(decision !== undefined, (query) => query.where('decision', '=', decision ?? 'pending'))
    .orderBy('userName')
    .orderBy('id')
    .limit(itemsMax)
    .execute()

/** Records the current memberships. */
export async function takeSnapshot(
  db: Db,
  reviewId: string,
  tenant: Tenant,
  withOrganizations: boolean,
): Promise<void> {
  const { partnerId, orgId } = tenant
  if (orgId === null) {
    await sql`INSERT INTO access_review_items (review_id, partner_id, org_id, membership_id, user_id, user_email, user_name,
        role_id, role_name, org_access, org_ids, last_login_at, member_since)
      SELECT ${reviewId}, m.partner_id, NULL, m.id, u.id, u.email, coalesce(m.display_name, u.name), m.role_id, r.name,
        m.org_access, m.org_ids, CASE WHEN m.accepted_at IS NOT NULL THEN u.last_login_at END, m.created_at
      FROM partner_users m JOIN users u ON u.id = m.user_id JOIN roles r ON r.id = m.role_id
      WHERE m.partner_id = ${partnerId}`.execute(db)
    if (!withOrganizations) return
  }
  await sql`INSERT INTO access_review_items (review_id, partner_id, org_id, membership_id, member_org_id, member_org_name,
      user_id, user_email, user_name, role_id, role_name, site_ids, device_group_ids, last_login_at, member_since)
    SELECT ${reviewId}, m.partner_id, ${orgId}, m.id, o.id, o.name, u.id, u.email, coalesce(m.display_name, u.name),
      m.role_id, r.name, m.site_ids, m.device_group_ids, CASE WHEN m.accepted_at IS NOT NULL THEN u.last_login_at END, m.created_at
    FROM organization_users m JOIN users u ON u.id = m.user_id JOIN roles r ON r.id = m.role_id
      JOIN organizations o ON o.id = m.org_id AND o.deleted_at IS NULL
    WHERE ${orgId === null ? sql`m.partner_id = ${partnerId}` : sql`m.org_id = ${orgId}`}`.execute(db)
}
