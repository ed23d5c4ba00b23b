// Case A8: no response shows which email addresses have an account.
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
if (known === undefined || disabled === undefined || invited === undefined) throw new Error('no accounts')
await system.query(`UPDATE users SET status = 'disabled' WHERE id = $1`, [disabled.userId])
await system.query(`UPDATE users SET status = 'invited', password_hash = NULL WHERE id = $1`, [invited.userId])

/** The response without the headers that differ between any two responses. */
function comparable({ status, headers, body }: Answer) {
  const varying = new Set(['date', 'x-request-id'])
  return { status, body, headers: [...headers].filter(([name]) => !varying.has(name)).sort() }
}
const post = (path: string, body: object) => server.request('POST', `/api/v1${path}`, { body, headers: from() })
const emails = [known.email, known.email.toUpperCase(), disabled.email, invited.email, unknownEmail()]
const profile = { name: 'Grace Brown', password: newPassword() }

const operations: Record<string, (email: string) => Promise<Answer>> = {
  '/auth/login': (email) => post('/auth/login', { email, password: 'wrong' }),
  '/auth/forgot-password': (email) => post('/auth/forgot-password', { email }),
  '/auth/register': (email) => post('/auth/register', { email, ...profile }),
  '/auth/register-partner': (email) =>
    post('/auth/register-partner', { email, ...profile, companyName: `Company ${randomBytes(4).toString('hex')}` }),
}

it.each(Object.entries(operations))('A8: %s answers alike with and without an account', async (_path, ask) => {
  const [first, ...others] = await Promise.all(emails.map(ask))
  if (first === undefined) throw new Error('no response')
  for (const other of others) expect(comparable(other)).toEqual(comparable(first))
})

it.each(['/auth/forgot-password', '/auth/register'])('A8: %s takes at least 200 ms', async (path) => {
  const ask = operations[path]
  if (ask === undefined) throw new Error('no such operation')
  for (const email of [known.email, unknownEmail()]) {
    const began = performance.now()
    await ask(email)
    expect(performance.now() - began).toBeGreaterThanOrEqual(199)
  }
})
