import { asSystem, type Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import { at } from '../../background/job.ts'
import { enqueueMail } from '../../platform/mail/index.ts'

interface Due {
  readonly id: string
  readonly partnerId: string
  readonly orgId: string | null
  readonly name: string
  readonly dueAt: string
  readonly status: 'open' | 'overdue'
  readonly email: string
  readonly userName: string
}

/**
 * Mails the creator of a review once a day when it is due within three days, and once a week when it is overdue. Marks overdue
 * reviews. Skips reviews of deleted tenants. Call it about every hour.
 * @returns how many mails were enqueued
 */
export async function remindReviewers(pool: pg.Pool, publicUrl: string): Promise<number> {
  return asSystem(pool, async (db) => {
    await sql`UPDATE access_reviews SET status = 'overdue', reminded_at = NULL WHERE status = 'open' AND due_at <= now()`.execute(
      db,
    )
    const due = await takeDue(db)
    for (const { id, partnerId, orgId, name, dueAt, status, email, userName } of due) {
      const template = status === 'overdue' ? 'access-review-overdue' : 'access-review-reminder'
      const data = { name: userName, review: name, dueAt, url: `${publicUrl}/access-reviews/${id}` }
      await enqueueMail(db, { to: email, template, data, partnerId, orgId })
    }
    return due.length
  })
}

/** The reviews with a due reminder, marked so that no other worker sends it. */
async function takeDue(db: Db): Promise<Due[]> {
  const { rows } = await sql<Due>`
    UPDATE access_reviews r SET reminded_at = now()
    FROM users u, partners p, (SELECT id FROM access_reviews
      WHERE (status = 'open' AND due_at <= now() + interval '3 days' AND (reminded_at IS NULL OR reminded_at <= now() - interval '1 day'))
         OR (status = 'overdue' AND (reminded_at IS NULL OR reminded_at <= now() - interval '7 days'))
      ORDER BY due_at LIMIT 500 FOR UPDATE SKIP LOCKED) due
    WHERE r.id = due.id AND u.id = r.created_by AND u.status = 'active' AND p.id = r.partner_id AND p.deleted_at IS NULL
      AND NOT EXISTS (SELECT FROM organizations o WHERE o.id = r.org_id AND o.deleted_at IS NOT NULL)
    RETURNING r.id, r.partner_id, r.org_id, r.name, r.due_at, r.status, u.email::text AS email, u.name AS user_name`.execute(
    db,
  )
  return rows
}

export const reminders = at('7 * * * *', 'access-review-reminders', async ({ pool, log, settings }) => {
  log.info({ mails: await remindReviewers(pool, settings.publicUrl) }, 'reviewers reminded')
})
