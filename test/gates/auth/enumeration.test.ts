// Case A8: no answer tells which e-mails have an account.
import { randomBytes } from 'node:crypto'
import { newPassword } from '@muster/testkit/credentials.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { expect, it } from 'vitest'
import { from, technicians, unknownEmail } from './people.ts'
import { type Answer, startServer } from './servers.ts'

const here = await world()
const { system } = await testServices()
const server = await startServer()
const [known, disabled, invited] = await technicians(here, 3)
if (known === undefined || disabled === undefined || invited === undefined) throw new Error('nobody is there')
await system.query(`UPDATE users SET status = 'disabled' WHERE id = $1`, [disabled.userId])
await system.query(`UPDATE users SET status = 'invited', password_hash = NULL WHERE id = $1`, [invited.userId])

/** Everything that a caller sees, but for what differs between any two answers. */
function seen({ status, headers, body }: Answer) {
  const own = new Set(['date', 'x-request-id'])
  return { status, body, headers: [...headers].filter(([name]) => !own.has(name)).sort() }
}
const post = (path: string, body: object) => server.request('POST', `/api/v1${path}`, { body, headers: from() })
const everybody = [known.email, known.email.toUpperCase(), disabled.email, invited.email, unknownEmail()]
const someone = { name: 'Grace Brown', password: newPassword() }

const doors: Record<string, (email: string) => Promise<Answer>> = {
  '/auth/login': (email) => post('/auth/login', { email, password: 'wrong' }),
  '/auth/forgot-password': (email) => post('/auth/forgot-password', { email }),
  '/auth/register': (email) => post('/auth/register', { email, ...someone }),
  '/auth/register-partner': (email) =>
    post('/auth/register-partner', { email, ...someone, companyName: `Company ${randomBytes(4).toString('hex')}` }),
}

it.each(Object.entries(doors))('A8: %s answers alike for accounts of every kind and for none', async (_path, ask) => {
  const [first, ...others] = await Promise.all(everybody.map(ask))
  if (first === undefined) throw new Error('no answer')
  for (const other of others) expect(seen(other)).toEqual(seen(first))
})

it.each(['/auth/forgot-password', '/auth/register'])('A8: %s takes whole steps of time', async (path) => {
  const ask = doors[path]
  if (ask === undefined) throw new Error('no such door')
  for (const email of [known.email, unknownEmail()]) {
    const began = performance.now()
    await ask(email)
    expect(performance.now() - began).toBeGreaterThanOrEqual(199)
  }
})
