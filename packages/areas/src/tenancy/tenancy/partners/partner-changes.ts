// Changes of partners by other areas.
import { randomBytes } from 'node:crypto'
import type { Db } from '@muster/db/database.ts'
import { badRequest } from '@muster/kit/errors.ts'
import { sql } from 'kysely'

/** Adds a partner that waits for approval, with a slug that no other has. */
export async function addPendingPartner(db: Db, name: string, billingEmail: string) {
  const base =
    name
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 80) || 'partner'
  for (const slug of [base, `${base}-${randomBytes(3).toString('hex')}`, `${base}-${randomBytes(8).toString('hex')}`]) {
    const made = await db
      .insertInto('partners')
      .values({ name, slug, status: 'pending', billingEmail })
      .onConflict((row) => row.doNothing())
      .returning(['id', 'name', 'slug', 'status'])
      .executeTakeFirst()
    if (made !== undefined) return made
  }
  throw badRequest('companyName: is used by too many partners. Choose another name')
}

export async function activatePartner(db: Db, id: string): Promise<void> {
  await db.updateTable('partners').set({ status: 'active' }).where('id', '=', id).execute()
}

/** Whether approvals require a second person. `secondPersonEnds` is the time at which the requirement ends. */
interface SecondPerson {
  readonly secondPerson?: boolean
  readonly secondPersonEnds?: string
}

export async function setSecondPerson(db: Db, id: string, change: SecondPerson): Promise<void> {
  const value = JSON.stringify(change)
  await db
    .updateTable('partners')
    .set({ settings: sql`(settings - 'secondPersonEnds') || ${value}::jsonb` })
    .where('id', '=', id)
    .execute()
}
