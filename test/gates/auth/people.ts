import { randomBytes } from 'node:crypto'
import { passwordsOf } from '@muster/areas/access/auth/passwords/passwords.ts'
import { newPassword, ownAddress } from '@muster/testkit/credentials.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, type World } from '@muster/testkit/world.ts'
import type { Server } from './servers.ts'

/** Headers of a request through a proxy, by default from an address that no other client uses. */
export const from = (ip = ownAddress()) => ({ 'x-forwarded-for': ip })

export interface Known {
  readonly userId: string
  readonly email: string
  readonly password: string
}

/** Technicians of an organization with a password. They share one password, because hashing is slow. */
export async function technicians(here: World, count: number): Promise<Known[]> {
  const services = await testServices()
  const { system } = services
  const passwords = passwordsOf(services)
  const password = newPassword()
  const hash = await passwords.hash(password)
  const tenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
  const made: Known[] = []
  for (let n = 0; n < count; n++) {
    const { userId, email } = await person(tenant, { role: 'Org Technician', mfaEnabled: false })
    made.push({ userId, email, password })
  }
  await system.query('UPDATE users SET password_hash = $2, password_changed_at = now() WHERE id = ANY ($1)', [
    made.map(({ userId }) => userId),
    hash,
  ])
  return made
}

export const unknownEmail = () => `unknown-${randomBytes(6).toString('hex')}@example.test`

/** Signs in over HTTP. */
export async function signIn(server: Server, { email, password }: { email: string; password: string }) {
  const answer = await server.request('POST', '/api/v1/auth/login', { body: { email, password }, headers: from() })
  if (answer.status !== 200) throw new Error(`login answered ${answer.status} ${JSON.stringify(answer.body)}`)
  return { ...answer.body, cookie: cookieOf(answer.headers) } as {
    accessToken: string
    refreshToken: string
    mfaRequired: boolean
    tempToken: string
    cookie: string
  }
}

/** The refresh cookie as a browser sends it. */
export const cookieOf = (headers: Headers): string => headers.get('set-cookie')?.split(';')[0] ?? ''
