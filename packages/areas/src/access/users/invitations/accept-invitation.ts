// Accepts an invitation. A mailed link proves the mailbox. A handed link, which the inviter receives when there is no mail
// server, proves nothing because the inviter may keep it. It therefore opens only the inviter's own tenant.

import { asSystem, type Db } from '@muster/db/database.ts'
import { badRequest, unauthenticated } from '@muster/kit/errors.ts'
import { peppered } from '@muster/kit/secrets/keyring.ts'
import { sql } from 'kysely'
import { callersOf } from '../../../caller-cache.ts'
import type { Call } from '../../../operation.ts'
import type { Services } from '../../../services.ts'
import {
  dropCredentials,
  limitsOf,
  originOf,
  passwordsOf,
  proveMailbox,
  requireStrongPassword,
  revokeSessions,
} from '../../auth/index.ts'
import { acceptMembership } from '../../memberships/index.ts'

interface AcceptInput {
  readonly token: string
  readonly name?: string | undefined
  readonly password: string
}

export async function acceptInvite(call: Call<AcceptInput>) {
  const { input, services, request, audit, afterCommit } = call
  const origin = originOf(request.ip)
  await limitsOf(services).take('tokenPerAddress', origin)
  const tokenHash = peppered(services.keyring, input.token)
  const invited = await asSystem(services.system, (db) => invitedPerson(db, services, tokenHash))
  const chosen = await chosenPassword(services, invited, input)
  await call.write(async (db) => {
    const invitation = await redeem(db, services, invited, tokenHash)
    const { partnerId, orgId, handed } = invitation
    const tenant = { partnerId, orgId }
    if (!handed) await proveMailbox(call, db, { userId: invited.id, by: 'invitation', place: tenant })
    else if (chosen !== null) await dropCredentials(db, invited.id, false)
    const ownName = chosen === null ? undefined : input.name
    const now = new Date(services.clock.now()).toISOString()
    await acceptMembership(
      db,
      { userId: invitation.id, partnerId, orgId },
      { acceptedAt: now, vouchedAt: handed ? now : null, ...(ownName === undefined ? {} : { displayName: null }) },
    )
    await db
      .updateTable('users')
      .set({
        status: 'active',
        ...(ownName === undefined ? {} : { name: ownName }),
        ...(chosen === null ? {} : { passwordHash: chosen, passwordChangedAt: now }),
      })
      .where('id', '=', invited.id)
      .execute()
    if (chosen !== null) await revokeSessions(db, invited.id)
    const actor = { type: 'user', id: invited.id, email: invited.email } as const
    audit({
      action: 'user.invite.accept',
      target: invited.id,
      name: invited.email,
      ...tenant,
      details: { handed },
      actor,
    })
  })
  afterCommit(() => callersOf(services).clear())
  afterCommit(() => limitsOf(services).giveBack('tokenPerAddress', origin))
  return { success: true as const, email: invited.email }
}

/** Gives the same error for a link that is wrong, used, replaced, withdrawn or expired. */
const invalidInvitation = () => badRequest('This invitation is no longer valid. Ask for a new one')

interface Invited {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly passwordHash: string | null
  readonly isProven: boolean
  readonly isActiveElsewhere: boolean
  readonly invitationId: string
  readonly partnerId: string
  readonly orgId: string | null
  /** Whether the link was shown to the inviter instead of mailed. */
  readonly handed: boolean
}

// A pending partner does not count while the address is unproven, because any person can register one with any address.
// A change of the membership invalidates a handed link: the inviter may be allowed to give the old role, but not the new one.
async function invitedPerson(db: Db, { clock }: Services, tokenHash: string): Promise<Invited> {
  const { rows } = await sql<Invited>`
    SELECT u.id, u.email, u.name, u.password_hash, u.email_verified_at IS NOT NULL AS is_proven,
      i.id AS invitation_id, i.partner_id, i.org_id, i.token_hash <> ${tokenHash} AS handed,
      EXISTS (SELECT FROM partner_users m JOIN partners p ON p.id = m.partner_id WHERE m.user_id = u.id AND m.status = 'active'
              AND (p.status <> 'pending' OR u.email_verified_at IS NOT NULL))
        OR EXISTS (SELECT FROM organization_users m WHERE m.user_id = u.id AND m.status = 'active')
        OR EXISTS (SELECT FROM system_users m WHERE m.user_id = u.id) AS is_active_elsewhere
    FROM user_invitations i
    JOIN users u ON u.id = i.user_id AND u.email = i.email
    JOIN partners p ON p.id = i.partner_id AND p.deleted_at IS NULL
    LEFT JOIN organizations o ON o.id = i.org_id
    WHERE (i.token_hash = ${tokenHash} OR i.handed_hash = ${tokenHash}) AND o.deleted_at IS NULL
      AND i.expires_at > ${new Date(clock.now()).toISOString()}
      AND (i.token_hash = ${tokenHash} OR NOT EXISTS (
        SELECT FROM partner_users m WHERE i.org_id IS NULL AND m.user_id = u.id AND m.partner_id = i.partner_id AND m.updated_at > i.issued_at
        UNION ALL
        SELECT FROM organization_users m WHERE m.user_id = u.id AND m.org_id = i.org_id AND m.updated_at > i.issued_at))`.execute(
    db,
  )
  const [invited] = rows
  if (invited === undefined) throw invalidInvitation()
  return invited
}

/**
 * @returns whether the person must enter the existing password, which the invitation then keeps. A mailed link keeps the proven
 * password of an account in use. A handed link never replaces the password of a proven account or an account in use
 */
const keepsPassword = ({ handed, isProven, isActiveElsewhere, passwordHash }: Invited): boolean =>
  handed ? isProven || isActiveElsewhere : isProven && isActiveElsewhere && passwordHash !== null

/** @returns the hash of the new password; null when the person entered the existing password, which stays */
async function chosenPassword(services: Services, invited: Invited, input: AcceptInput): Promise<string | null> {
  if (keepsPassword(invited)) {
    if (await passwordsOf(services).verify(invited.passwordHash, input.password)) return null
    throw unauthenticated('password: is not the password of this account. Enter the password that you sign in with')
  }
  await requireStrongPassword(input.password, [invited.email, input.name ?? invited.name])
  return passwordsOf(services).hash(input.password)
}

/** Deletes the invitation, so that it works once. Fails when the account changed since the password was checked. */
async function redeem(db: Db, services: Services, before: Invited, tokenHash: string): Promise<Invited> {
  await db.selectFrom('users').select('id').where('id', '=', before.id).forNoKeyUpdate().execute()
  const invited = await invitedPerson(db, services, tokenHash)
  const isSame = keepsPassword(invited) === keepsPassword(before) && invited.passwordHash === before.passwordHash
  const { numDeletedRows } = await db
    .deleteFrom('userInvitations')
    .where('id', '=', invited.invitationId)
    .executeTakeFirst()
  if (!isSame || numDeletedRows !== 1n) throw invalidInvitation()
  return invited
}
