import type { Db } from '@muster/db/database.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import { sql } from 'kysely'
import { liveEvent, type PartnerEvent } from '../../platform/live-events/index.ts'
import { notificationsChanged } from './notification-events.contract.ts'
import type { NotificationPriority, NotificationType } from './notifications.contract.ts'

/** Who is notified: the members who reach the place, and of these only the named ones or the holders of a permission. */
export interface Audience {
  readonly userIds?: readonly string[]
  readonly roleIds?: readonly string[]
  readonly permission?: Permission
}

/** What a notification is about. A member limited to sites or groups hears only of devices in them. */
export interface Subject {
  readonly priority: NotificationPriority
  readonly title: string
  readonly body?: string
  readonly link?: { readonly kind: string; readonly id: string } | null
  readonly siteId?: string | null
  readonly deviceId?: string | null
}

export interface Notice {
  readonly partnerId: string
  /** Null for what concerns the whole partner. */
  readonly orgId: string | null
  readonly type: NotificationType
  /** The first one that a person reaches gives the notification its texts. The title counts the others. */
  readonly subjects: readonly Subject[]
  /** What several subjects are, such as `alerts`. */
  readonly plural?: string
  /** Names what happened, such as an alert group. A person gets one notification for it, and its count grows. */
  readonly key: string
  readonly audience: Audience
}

const titleMax = 255
const bodyMax = 2_000

/**
 * Stores notices for the people in reach, in the transaction of the change.
 * @returns the live events to publish after the commit
 */
export async function notify(db: Db, notices: readonly Notice[]): Promise<PartnerEvent[]> {
  const told = new Map<string, PartnerEvent>()
  for (const notice of notices) {
    const { rows } = await insertion(notice).execute(db)
    for (const { userId } of rows) told.set(`${notice.partnerId} ${userId}`, changedFor(notice.partnerId, userId))
  }
  return [...told.values()]
}

/** Tells the sessions of a person that their notifications changed. */
export const changedFor = (partnerId: string, userId: string): PartnerEvent =>
  liveEvent(notificationsChanged, partnerId, { orgId: partnerId, userId, at: Date.now() })

function insertion(notice: Notice) {
  const { partnerId, orgId, audience, subjects } = notice
  return sql<{ userId: string }>`
    WITH RECURSIVE ${holders(audience.permission)}, members AS (${members(notice)}),
    subjects AS (SELECT * FROM unnest(${subjects.map(({ priority }) => priority)}::text[],
      ${subjects.map(({ title }) => title.slice(0, titleMax))}::text[], ${subjects.map(({ body = '' }) => body.slice(0, bodyMax))}::text[],
      ${subjects.map(({ link }) => (link ? JSON.stringify(link) : null))}::jsonb[], ${subjects.map(({ siteId }) => siteId ?? null)}::uuid[],
      ${subjects.map(({ deviceId }) => deviceId ?? null)}::uuid[])
      WITH ORDINALITY AS s(priority, title, body, link, site_id, device_id, n)),
    people AS (
      SELECT DISTINCT m.user_id, m.site_ids, m.device_group_ids FROM members m JOIN users u ON u.id = m.user_id AND u.status = 'active'
      WHERE (${audience.permission === undefined} OR m.role_id IN (SELECT id FROM holders))
        AND (${audience.userIds === undefined && audience.roleIds === undefined}
          OR m.user_id = ANY (${[...(audience.userIds ?? [])]}::uuid[]) OR m.role_id = ANY (${[...(audience.roleIds ?? [])]}::uuid[]))),
    reaches AS (
      SELECT r.site_ids, r.device_group_ids, count(*) AS subjects, min(s.n) AS n
      FROM (SELECT DISTINCT site_ids, device_group_ids FROM people) r
      JOIN subjects s ON (r.site_ids IS NULL OR s.site_id = ANY (r.site_ids))
        AND (r.device_group_ids IS NULL OR EXISTS (
          SELECT FROM device_group_members g WHERE g.device_id = s.device_id AND g.group_id = ANY (r.device_group_ids)))
      GROUP BY r.site_ids, r.device_group_ids)
    INSERT INTO notifications (partner_id, org_id, user_id, key, type, priority, title, body, link)
    SELECT DISTINCT ON (p.user_id) ${partnerId}::uuid, ${orgId}::uuid, p.user_id, ${notice.key}, ${notice.type}, s.priority,
      left(CASE WHEN r.subjects > 1 THEN r.subjects || ' ' || ${notice.plural ?? 'notices'} || ': ' ELSE '' END || s.title, ${titleMax}), s.body, s.link
    FROM people p JOIN reaches r ON r.site_ids IS NOT DISTINCT FROM p.site_ids AND r.device_group_ids IS NOT DISTINCT FROM p.device_group_ids
    JOIN subjects s ON s.n = r.n LEFT JOIN notification_preferences f ON f.user_id = p.user_id
    WHERE NOT ${notice.type} = ANY (coalesce(f.muted, '{}'))
      AND array_position(${priorities}, coalesce(f.min_priority, 'low')) <= array_position(${priorities}, s.priority)
    ORDER BY p.user_id, r.subjects DESC
    ON CONFLICT (user_id, key) DO UPDATE SET count = notifications.count + 1, read_at = NULL, created_at = now(),
      title = excluded.title, body = excluded.body, priority = excluded.priority, link = excluded.link
    RETURNING user_id AS "userId"`
}

const priorities = sql`ARRAY['low', 'normal', 'high', 'urgent']`

/** Roles with a permission, their own or inherited. */
function holders(permission: Permission | undefined) {
  const [resource = '', action = ''] = permission?.split(':') ?? []
  return sql`holders AS (
    SELECT rp.role_id AS id FROM role_permissions rp JOIN permissions p ON p.id = rp.permission_id
    WHERE p.resource IN ('*', ${resource}) AND p.action IN ('*', ${action})
    UNION
    SELECT r.id FROM roles r JOIN holders h ON r.parent_role_id = h.id)`
}

/** The members who reach the organization, or the partner. */
function members({ partnerId, orgId }: Notice) {
  const ofPartner = sql`SELECT user_id, role_id, NULL::uuid[] AS site_ids, NULL::uuid[] AS device_group_ids FROM partner_users
    WHERE partner_id = ${partnerId} AND status = 'active'
      AND (org_access = 'all' OR (org_access = 'selected' AND ${orgId}::uuid = ANY (org_ids)))`
  if (orgId === null) return ofPartner
  return sql`${ofPartner} UNION ALL
    SELECT user_id, role_id, site_ids, device_group_ids FROM organization_users WHERE org_id = ${orgId} AND status = 'active'`
}
