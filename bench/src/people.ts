import { Passwords } from '@muster/areas/access/auth/passwords/passwords.ts'
import type pg from 'pg'
import { z } from 'zod'
import { ApiClient } from './api-client.ts'

export interface Person {
  readonly email: string
  readonly password: string
}

/** A user of one partner who may see all of its devices. */
export const technician: Person = { email: 'bench-technician@muster.example', password: 'correct-horse-battery-staple' }

/** Makes the technician a member of that partner. */
export async function addTechnician(owner: pg.Client, partnerId: string): Promise<void> {
  await owner.query(
    `WITH technician AS (
       INSERT INTO users (email, name, password_hash, status, email_verified_at) VALUES ($1, 'Technician', $2, 'active', now())
       ON CONFLICT (email) DO UPDATE SET password_hash = excluded.password_hash RETURNING id)
     INSERT INTO partner_users (partner_id, user_id, role_id, org_access)
     SELECT $3, technician.id, roles.id, 'all' FROM technician, roles WHERE roles.is_system AND roles.name = 'Partner Technician'
     ON CONFLICT DO NOTHING`,
    [technician.email, await new Passwords().hash(technician.password), partnerId],
  )
}

/** An access token for that user. */
export async function tokenOf(admin: string, { email, password }: Person): Promise<string> {
  const client = new ApiClient(admin)
  const { body } = await client.signIn(email, password)
  await client.stop()
  return z.looseObject({ accessToken: z.string() }).parse(body).accessToken
}

/** A client that is signed in as that user. */
export async function clientOf(admin: string, { email, password }: Person): Promise<ApiClient> {
  const client = new ApiClient(admin)
  const { status, body } = await client.signIn(email, password)
  if (status !== 200) throw new Error(`sign-in answered ${JSON.stringify(body)}`)
  return client
}
