// Who counts as a second person, and how a partner turns this requirement off.
import { asSystem, type Db } from '@muster/db/database.ts'
import type { JsonObject } from '@muster/db/json.ts'
import type { Caller } from '@muster/kit/access.ts'
import { denied } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { z } from 'zod'
import { partnerAdministrators } from '../../../access/roles/index.ts'
import type { Call } from '../../../operation.ts'
import { enqueueMail } from '../../../platform/mail/index.ts'

const day = 86_400_000
/** How long a member must have its role to be a second person. */
const standingMs = 7 * day
/** The delay until it is turned off without a second person. */
export const turnOffMs = day

/** The request to turn it off, in the settings of the partner. */
export const TurnOff = z.object({ requestedBy: z.guid(), requestedAt: z.string(), endsAt: z.string() })
export type TurnOff = z.infer<typeof TurnOff>

const Standing = z.object({ since: z.string(), invitedBy: z.string().nullable(), grantedBy: z.string().nullable() })

function standingOf(db: Db, { userId, scope, partnerId, orgId }: Caller) {
  const held = sql`invited_by, granted_by`
  const rows = {
    system: sql`SELECT greatest(created_at, granted_at) AS since, ${held} FROM system_users WHERE user_id = ${userId}`,
    partner: sql`SELECT greatest(created_at, accepted_at, granted_at) AS since, ${held} FROM partner_users
      WHERE user_id = ${userId} AND partner_id = ${partnerId}`,
    organization: sql`SELECT greatest(created_at, accepted_at, granted_at) AS since, ${held} FROM organization_users
      WHERE user_id = ${userId} AND org_id = ${orgId}`,
  }
  return rows[scope].execute(db)
}

/**
 * A second person is independent of the first: a member with the same role for seven days, neither invited nor promoted by
 * the first one, who also did not reset its sign-in.
 * @throws FORBIDDEN with the reason, and the time from which it may approve
 */
export async function requireIndependent({ caller, services }: Call, requestedBy: string): Promise<void> {
  if (requestedBy === caller.userId) throw denied('Another person has to approve your request')
  const { rows } = await asSystem(services.system, (db) => standingOf(db, caller))
  const { since, invitedBy, grantedBy } = Standing.parse(rows[0])
  if (requestedBy === invitedBy || requestedBy === grantedBy) {
    throw denied(
      'The person who asked for it invited you, gave you your role or reset your sign-in. Another member has to approve it',
    )
  }
  const fromMs = Date.parse(since) + standingMs
  if (fromMs <= services.clock.now()) return
  throw denied(
    `A member approves 7 days after joining, getting its role or a reset of its sign-in: you can from ${new Date(fromMs).toISOString()}. ` +
      'Until then a member who has been there longer has to, and in a new installation no member can',
  )
}

export interface Requirement {
  readonly required: boolean
  readonly turnOff: TurnOff | null
}

/** The settings of a partner as of now. */
export function requirementOf(settings: JsonObject, nowMs: number): Requirement {
  const turnOff = TurnOff.safeParse(settings.secondPersonEnds).data ?? null
  const isOver = turnOff !== null && Date.parse(turnOff.endsAt) <= nowMs
  const required = settings.secondPerson === true && !isOver
  return { required, turnOff: required ? turnOff : null }
}

/** Mails all administrators of the partner that the requirement will be turned off. */
export async function tellOfTurnOff({ db, caller, services }: Call, partnerId: string, { endsAt }: TurnOff) {
  for (const { email, name } of await partnerAdministrators(db, partnerId)) {
    const data = { name, by: caller.email, endsAt, url: `${services.settings.publicUrl}/approvals` }
    await enqueueMail(db, { to: email, template: 'second-person-ends', data, partnerId, orgId: null })
  }
}
