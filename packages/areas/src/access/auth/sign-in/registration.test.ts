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
const somebody = () => ({
  email: `${randomBytes(6).toString('hex')}@example.test`,
  name: 'Grace Brown',
  password: newPassword(),
})
const register = (input: ReturnType<typeof somebody>, ip = ownAddress()) =>
  call(null, registration.register, input, { ip })
const registerPartner = (input: ReturnType<typeof somebody> & { companyName: string }, ip = ownAddress()) =>
  call(null, registration.registerPartner, input, { ip })
const verify = (token: string, password?: string) =>
  call(null, registration.verifyEmail, { token, ...(password && { password }) }, { ip: ownAddress() })
async function signIn({ email, password }: ReturnType<typeof somebody>) {
  const tokens = await call(null, session.login, { email, password }, { ip: ownAddress() })
  if (tokens.mfaRequired) throw new Error('a second factor was asked for')
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

/** Changes a setting of this process for a while. */
async function having<T>(changes: Partial<typeof settings>, work: () => Promise<T>): Promise<T> {
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
  it('makes an account and mails a link that confirms the address', async () => {
    const person = somebody()
    expect(await register(person)).toMatchObject({ success: true })
    const { rows } = await system.query('SELECT id, email_verified_at FROM users WHERE email = $1', [person.email])
    expect(rows[0].email_verified_at).toBeNull()
    expect(await auditOf(rows[0].id)).toMatchObject([{ action: 'user.register' }])
    expect(await verify(await tokenMailedTo(person.email))).toEqual({ success: true, passwordRequired: true })
    const after = await system.query('SELECT email_verified_at FROM users WHERE email = $1', [person.email])
    expect(after.rows[0].email_verified_at).not.toBeNull()
  })

  it('answers the same for an address that has an account, and tells only its owner', async () => {
    const known = { ...somebody(), email: here.orgAdmin.email }
    const answer = await register(somebody())
    expect(await register({ ...known, email: known.email.toUpperCase() })).toEqual(answer)
    expect((await mailsTo(known.email)).map(({ template }) => template)).toEqual(['already-registered'])
    const { rows } = await system.query('SELECT name FROM users WHERE email = $1', [known.email])
    expect(rows[0].name).not.toBe(known.name)
  })

  it('is refused unless the server allows it', async () => {
    await having({ enableRegistration: false }, async () => {
      expect(await refusal(register(somebody()))).toMatchObject({ status: 403, message: 'Registration is disabled' })
    })
  })

  it('refuses weak passwords and is limited to five an hour per address', async () => {
    expect(await refusal(register({ ...somebody(), password: 'password1' }))).toMatchObject({ status: 400 })
    const ip = ownAddress()
    for (let n = 0; n < 5; n++) await register(somebody(), ip)
    expect(await refusal(register(somebody(), ip))).toMatchObject({
      status: 429,
      extra: { retryAfter: expect.any(Number) },
    })
  })
})

describe('registering a partner', () => {
  it('makes a pending partner, its administrator role and the user', async () => {
    const person = somebody()
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

  it('leaves its people outside the guard until a system administrator approves', async () => {
    const person = somebody()
    await registerPartner({ ...person, companyName: 'Waiting' })
    await verify(await tokenMailedTo(person.email), person.password)
    const who = await signIn(person)
    expect(await refusal(call(who, sites.list, {}))).toMatchObject({
      status: 403,
      message: 'Partner account is not active',
    })
    expect(await call(who, session.me, {})).toMatchObject({ email: person.email, emailVerified: true })
    expect(await partnerOf(person.email)).toMatchObject([{ status: 'pending' }])
    // To some of the administrators: in a shared database there are too many to tell all.
    const told = (await mailsFrom('partner-waiting')).map(({ data }) => data.contact)
    expect(told).toContainEqual(expect.stringContaining(person.email))
  })

  it('becomes active with the confirmed address where the server is set so', async () => {
    const person = somebody()
    await registerPartner({ ...person, companyName: 'At once' })
    await having({ autoApprovePartners: true }, async () => verify(await tokenMailedTo(person.email)))
    const [partner] = await partnerOf(person.email)
    expect(partner.status).toBe('active')
    expect((await auditOf(partner.id)).at(-1)).toMatchObject({ action: 'partner.update', changed_fields: ['status'] })
  })

  it('gives two companies of one name two slugs', async () => {
    const [one, two] = [somebody(), somebody()]
    const companyName = `Twin ${randomBytes(4).toString('hex')}`
    await Promise.all([registerPartner({ ...one, companyName }), registerPartner({ ...two, companyName })])
    const slugs = [...(await partnerOf(one.email)), ...(await partnerOf(two.email))].map(({ slug }) => slug)
    expect(new Set(slugs).size).toBe(2)
  })

  it('makes nothing for an address that has an account, and answers the same', async () => {
    const answer = await registerPartner({ ...somebody(), companyName: 'First' })
    const known = {
      ...somebody(),
      email: here.orgAdmin.email,
      companyName: `Not made ${randomBytes(4).toString('hex')}`,
    }
    expect(await registerPartner(known)).toEqual(answer)
    const { rows } = await system.query('SELECT id FROM partners WHERE name = $1', [known.companyName])
    expect(rows).toEqual([])
  })

  it('is limited to three an hour per address', async () => {
    const ip = ownAddress()
    for (let n = 0; n < 3; n++) await registerPartner({ ...somebody(), companyName: 'Many' }, ip)
    expect(await refusal(registerPartner({ ...somebody(), companyName: 'Many' }, ip))).toMatchObject({ status: 429 })
  })
})

describe('confirming an address', () => {
  it('takes a link once', async () => {
    const person = somebody()
    await register(person)
    const token = await tokenMailedTo(person.email)
    await verify(token)
    expect(await refusal(verify(token))).toMatchObject({ status: 400, message: 'Invalid or expired link' })
  })

  it('can be asked for again by the person itself, three times an hour', async () => {
    const person = somebody()
    await register(person)
    const who = await signIn(person)
    for (let n = 0; n < 3; n++) await call(who, registration.resendVerification, {})
    expect(await refusal(call(who, registration.resendVerification, {}))).toMatchObject({ status: 429 })
    await verify(await tokenMailedTo(person.email))
    expect(await refusal(call(here.orgAdmin, registration.resendVerification, {}))).toMatchObject({ status: 400 })
  })
})
