import { asSystem, type Db } from '@muster/db/database.ts'
import { badRequest, denied, unauthenticated } from '@muster/kit/errors.ts'
import { originOf } from '@muster/kit/network/addresses.ts'
import { callersOf } from '../../../caller-cache.ts'
import { type Call, implement } from '../../../operation.ts'
import { enqueueMail, sealedLink } from '../../../platform/mail/index.ts'
import type { Services } from '../../../services.ts'
import { addPendingPartner } from '../../../tenancy/tenancy/index.ts'
import { addPartnerMember } from '../../memberships/index.ts'
import { addAdministratorRole } from '../../roles/index.ts'
import { limitsOf } from '../limits.ts'
import { passwordsOf } from '../passwords/passwords.ts'
import { requireStrongPassword } from '../passwords/strength.ts'
import { type Account, findAccount } from '../sessions/accounts.queries.ts'
import { inConstantTime } from './constant-time.ts'
import { proveMailbox } from './first-proof.ts'
import { findToken, issueToken, redeemToken } from './one-time-tokens.ts'
import { registration as contract } from './registration.contract.ts'
import { admitWaitingPartners } from './waiting-partners.ts'

interface NewPerson {
  readonly email: string
  readonly name: string
  readonly passwordHash: string
}

const answer = (message: string) => ({ success: true as const, message })

export default implement(contract, {
  async register(call) {
    const { services, request, input } = call
    if (!services.settings.enableRegistration) throw denied('Registration is disabled')
    await limitsOf(services).take('registerPerAddress', originOf(request.ip))
    await requireStrongPassword(input.password, [input.email, input.name])
    await inConstantTime(async () => {
      const person = await newPerson(services, input)
      await call.write(async (db) => {
        const userId = await insertPerson(db, services, person, null)
        if (userId !== null) recordRegistration(call, userId, person, null)
      })
    })
    return answer('Follow the link in the mail that we sent you')
  },

  async registerPartner(call) {
    const { services, request, input } = call
    if (services.settings.enablePartnerRegistration === false) throw denied('Registration is disabled')
    await limitsOf(services).take('registerPartnerPerAddress', originOf(request.ip))
    const company = input.companyName ?? input.partnerName ?? ''
    await requireStrongPassword(input.password, [input.email, input.name, company])
    await inConstantTime(async () => {
      const person = await newPerson(services, input)
      await call.write((db) => insertPartner(call, db, person, company))
    })
    return answer('Follow the link in the mail that we sent you')
  },

  async verifyEmail(call) {
    const { services, request, input, afterCommit } = call
    const origin = originOf(request.ip)
    await limitsOf(services).take('tokenPerAddress', origin)
    const account = await asSystem(services.system, async (db) => {
      const found = await findToken(db, services, 'verify-email', input.token)
      return found && findAccount(db, found.userId)
    })
    if (account === undefined) throw invalidLink()
    const keepPassword = await hasRegistrationPassword(services, account, input.password)
    await call.write(async (db) => {
      const redeemed = await redeemToken(db, services, 'verify-email', input.token)
      // A password that was set meanwhile is not the one that was entered.
      const now = await findAccount(db, account.id)
      if (redeemed === undefined || now?.passwordHash !== account.passwordHash) throw invalidLink()
      if ((await proveMailbox(call, db, { userId: account.id, by: 'verification', keepPassword })) === null)
        throw invalidLink()
      await admitWaitingPartners(call, db, account)
    })
    afterCommit(() => callersOf(services).clear())
    afterCommit(() => limitsOf(services).giveBack('tokenPerAddress', origin))
    return { success: true as const, passwordRequired: !keepPassword }
  },

  async resendVerification(call) {
    const { services, caller } = call
    await limitsOf(services).take('verificationPerUser', caller.userId)
    const account = await asSystem(services.system, (db) => findAccount(db, caller.userId))
    if (account === undefined) throw unauthenticated('Invalid or expired token')
    if (account.emailVerifiedAt !== null) throw badRequest('This email address is verified already')
    await call.write((db) => mailVerification(db, services, account, caller.partnerId))
    return { success: true as const }
  },
})

const invalidLink = () => badRequest('Invalid or expired link')

/**
 * @returns whether the password of the registration was entered; false when none was entered
 * @throws BAD_REQUEST for a wrong password, and the link stays valid
 */
async function hasRegistrationPassword(
  services: Services,
  account: Account,
  password: string | undefined,
): Promise<boolean> {
  if (password === undefined) return false
  if (await passwordsOf(services).verify(account.passwordHash, password)) return true
  throw badRequest(
    'password: is not the password of the registration. Leave it out and set a new one after verification',
  )
}

async function newPerson(services: Services, input: { email: string; name: string; password: string }) {
  const passwordHash = await passwordsOf(services).hash(input.password)
  return { email: input.email.toLowerCase(), name: input.name, passwordHash }
}

/**
 * Adds the account and enqueues the mail that verifies its address.
 * @returns null when the address has an account already. Its owner gets a mail; the response does not tell
 */
async function insertPerson(
  db: Db,
  services: Services,
  person: NewPerson,
  partnerId: string | null,
): Promise<string | null> {
  const { email, name, passwordHash } = person
  const made = await db
    .insertInto('users')
    .values({ email, name, passwordHash, passwordChangedAt: new Date(services.clock.now()).toISOString() })
    .onConflict((row) => row.column('email').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (made === undefined) {
    await notifyOwner(db, services, email)
    return null
  }
  await mailVerification(db, services, { id: made.id, email, name }, partnerId)
  return made.id
}

async function notifyOwner(db: Db, services: Services, email: string): Promise<void> {
  if (!(await limitsOf(services).tryTake('registrationNoticePerEmail', email))) return
  const data = { url: `${services.settings.publicUrl}/login` }
  await enqueueMail(db, { to: email, template: 'already-registered', data, partnerId: null, orgId: null })
}

async function mailVerification(
  db: Db,
  services: Services,
  to: { id: string; email: string; name: string },
  partnerId: string | null,
): Promise<void> {
  const token = await issueToken(db, services, 'verify-email', to)
  const url = sealedLink(services.keyring, `${services.settings.publicUrl}/verify-email#token=${token}`)
  await enqueueMail(db, {
    to: to.email,
    template: 'verify-email',
    data: { name: to.name, url },
    partnerId,
    orgId: null,
  })
}

function recordRegistration({ audit }: Call, userId: string, person: NewPerson, partnerId: string | null): void {
  const actor = { type: 'user', id: userId, email: person.email } as const
  audit({ action: 'user.register', target: userId, name: person.email, partnerId, orgId: null, actor })
}

/** Adds the partner, its administrator role and its first administrator in one transaction. */
async function insertPartner(call: Call, db: Db, person: NewPerson, company: string): Promise<void> {
  const { services, audit } = call
  const existing = await db.selectFrom('users').select('id').where('email', '=', person.email).executeTakeFirst()
  if (existing !== undefined) return notifyOwner(db, services, person.email)
  const partner = await addPendingPartner(db, company, person.email)
  const role = await addAdministratorRole(db, partner.id)
  const userId = await insertPerson(db, services, person, partner.id)
  // Another request registered the same address at the same time. The error rolls back this transaction.
  if (userId === null) throw badRequest('email: was registered at the same moment. Send the request again')
  await addPartnerMember(db, { partnerId: partner.id, userId, roleId: role.id, orgAccess: 'all', status: 'active' })
  const actor = { type: 'user', id: userId, email: person.email } as const
  audit({
    action: 'partner.register',
    target: partner.id,
    name: company,
    partnerId: partner.id,
    orgId: null,
    after: partner,
    actor,
  })
  recordRegistration(call, userId, person, partner.id)
}
