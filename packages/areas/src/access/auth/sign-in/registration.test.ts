import { randomBytes } from 'node:crypto'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { newPassword, ownAddress } from '@muster/testkit/credentials.ts'
import { mailsFrom, mailsTo, tokenMailedTo } from '@muster/testkit/mail.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { sites } from '../../../tenancy/tenancy/sites/sites.contract.ts'
import { registration } from './registration.contract.ts'
import { session } from './session.contract.ts'

const here = await world()
const { system, settings } = await testServices()
const newPerson = () => ({
  email: `${randomBytes(6).toString('hex')}@example.test`,
  name: 'Grace Brown',
  password: newPassword(),
})
const register = (input: ReturnType<typeof newPerson>, ip = ownAddress()) =>
  call(null, registration.register, input, { ip })
const registerPartner = (input: ReturnType<typeof newPerson> & { companyName: string }, ip = ownAddress()) =>
  call(null, registration.registerPartner, input, { ip })
const verify = (token: string, password?: string) =>
  call(null, registration.verifyEmail, { token, ...(password && { password }) }, { ip: ownAddress() })
async function signIn({ email, password }: ReturnType<typeof newPerson>) {
  const tokens = await call(null, session.login, { email, password }, { ip: ownAddress() })
  if (tokens.mfaRequired) throw new Error('unexpected request for a second factor')
  return { ...tokens, token: tokens.accessToken }
}

async function partnerOf(email: string) {
  const { rows } = await system.query(
    `SELECT p.*, r.name AS role, r.force_mfa, r.is_system, m.org_access FROM partners p
     JOIN partner_users m ON m.partner_id = p.id JOIN users u ON u.id = m.user_id JOIN roles r ON r.id = m.role_id
     WHERE u.email = $1`,
    [email],
  )
  return rows
}

/** Runs a test with other settings of this process and restores them. */
async function withSettings<T>(changes: Partial<typeof settings>, work: () => Promise<T>): Promise<T> {
  const before = { ...settings }
  Object.assign(settings, changes)
  try {
    return await work()
  } finally {
    for (const name of Object.keys(changes)) Reflect.deleteProperty(settings, name)
    Object.assign(settings, before)
  }
}

describe('registering an account', () => {
  it('creates an account and mails a link that verifies the address', async () => {
    const person = newPerson()
    expect(await register(person)).toMatchObject({ success: true })
    const { rows } = await system.query('SELECT id, email_verified_at FROM users WHERE email = $1', [person.email])
    expect(rows[0].email_verified_at).toBeNull()
    expect(await auditOf(rows[0].id)).toMatchObject([{ action: 'user.register' }])
    expect(await verify(await tokenMailedTo(person.email))).toEqual({ success: true, passwordRequired: true })
    const after = await system.query('SELECT email_verified_at FROM users WHERE email = $1', [person.email])
    expect(after.rows[0].email_verified_at).not.toBeNull()
  })

  it('returns the same response for an address with an account, and mails its owner', async () => {
    const known = { ...newPerson(), email: here.orgAdmin.email }
    const answer = await register(newPerson())
    expect(await register({ ...known, email: known.email.toUpperCase() })).toEqual(answer)
    expect((await mailsTo(known.email)).map(({ template }) => template)).toEqual(['already-registered'])
    const { rows } = await system.query('SELECT name FROM users WHERE email = $1', [known.email])
    expect(rows[0].name).not.toBe(known.name)
  })

  it('is rejected unless the server allows registration', async () => {
    await withSettings({ enableRegistration: false }, async () => {
      expect(await refusal(register(newPerson()))).toMatchObject({ status: 403, message: 'Registration is disabled' })
    })
  })

  it('rejects weak passwords and is limited to five an hour per address', async () => {
    expect(await refusal(register({ ...newPerson(), password: 'password1' }))).toMatchObject({ status: 400 })
    const ip = ownAddress()
    for (let n = 0; n < 5; n++) await register(newPerson(), ip)
    expect(await refusal(register(newPerson(), ip))).toMatchObject({
      status: 429,
      extra: { retryAfter: expect.any(Number) },
    })
  })
})

describe('registering a partner', () => {
  it('creates a pending partner, its administrator role and its first user', async () => {
    const person = newPerson()
    await registerPartner({ ...person, companyName: 'Brøwn & Søns Ltd.' })
    expect(await partnerOf(person.email)).toMatchObject([
      {
        name: 'Brøwn & Søns Ltd.',
        status: 'pending',
        role: 'Administrator',
        force_mfa: true,
        is_system: false,
        org_access: 'all',
      },
    ])
    const [partner] = await partnerOf(person.email)
    expect(await auditOf(partner.id)).toMatchObject([{ action: 'partner.register', partner_id: partner.id }])
  })

  it('gives the user no access until a system administrator approves the partner', async () => {
    const person = newPerson()
    await registerPartner({ ...person, companyName: 'Waiting' })
    await verify(await tokenMailedTo(person.email), person.password)
    const who = await signIn(person)
    expect(await refusal(call(who, sites.list, {}))).toMatchObject({
      status: 403,
      message: 'Partner account is not active',
      extra: { partnerInactive: true },
    })
    expect(await call(who, session.me, {})).toMatchObject({ email: person.email, emailVerified: true })
    expect(await partnerOf(person.email)).toMatchObject([{ status: 'pending' }])
    // Only some administrators are notified, and a shared database has many.
    const sent = (await mailsFrom('partner-waiting')).map(({ data }) => data.contact)
    expect(sent).toContainEqual(expect.stringContaining(person.email))
  })

  it('activates the partner with the verification when the server approves automatically', async () => {
    const person = newPerson()
    await registerPartner({ ...person, companyName: 'At once' })
    await withSettings({ autoApprovePartners: true }, async () => verify(await tokenMailedTo(person.email)))
    const [partner] = await partnerOf(person.email)
    expect(partner.status).toBe('active')
    expect((await auditOf(partner.id)).at(-1)).toMatchObject({ action: 'partner.update', changed_fields: ['status'] })
  })

  it('gives two companies of one name different slugs', async () => {
    const [one, two] = [newPerson(), newPerson()]
    const companyName = `Twin ${randomBytes(4).toString('hex')}`
    await Promise.all([registerPartner({ ...one, companyName }), registerPartner({ ...two, companyName })])
    const slugs = [...(await partnerOf(one.email)), ...(await partnerOf(two.email))].map(({ slug }) => slug)
    expect(new Set(slugs).size).toBe(2)
  })

  it('creates nothing for an address with an account, and returns the same response', async () => {
    const answer = await registerPartner({ ...newPerson(), companyName: 'First' })
    const known = {
      ...newPerson(),
      email: here.orgAdmin.email,
      companyName: `Not made ${randomBytes(4).toString('hex')}`,
    }
    expect(await registerPartner(known)).toEqual(answer)
    const { rows } = await system.query('SELECT id FROM partners WHERE name = $1', [known.companyName])
    expect(rows).toEqual([])
  })

  it('is limited to three an hour per address', async () => {
    const ip = ownAddress()
    for (let n = 0; n < 3; n++) await registerPartner({ ...newPerson(), companyName: 'Many' }, ip)
    expect(await refusal(registerPartner({ ...newPerson(), companyName: 'Many' }, ip))).toMatchObject({ status: 429 })
  })
})

describe('verifying an address', () => {
  it('works once with each link', async () => {
    const person = newPerson()
    await register(person)
    const token = await tokenMailedTo(person.email)
    await verify(token)
    expect(await refusal(verify(token))).toMatchObject({ status: 400, message: 'Invalid or expired link' })
  })

  it('can be requested again by the user, three times an hour', async () => {
    const person = newPerson()
    await register(person)
    const who = await signIn(person)
    for (let n = 0; n < 3; n++) await call(who, registration.resendVerification, {})
    expect(await refusal(call(who, registration.resendVerification, {}))).toMatchObject({ status: 429 })
    await verify(await tokenMailedTo(person.email))
    expect(await refusal(call(here.orgAdmin, registration.resendVerification, {}))).toMatchObject({ status: 400 })
  })
})
