// The number of open event streams is limited. One person opens every subscription of the registry 200 times, over REST
// and tRPC, so a new subscription is covered automatically.

import { request as ask, type ClientRequest } from 'node:http'
import { accessTokensOf, opaqueToken } from '@muster/areas/access/auth/sessions/tokens.ts'
import type { Operation } from '@muster/areas/operation.ts'
import { operations } from '@muster/areas/registry.ts'
import { usualStreamLimits } from '@muster/kit/operation/open-streams.ts'
import { testServices } from '@muster/testkit/services.ts'
import { type Person, person } from '@muster/testkit/world.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { startServer } from './auth/servers.ts'
import { exampleOf } from './example-of.ts'
import { buildStage } from './stage.ts'

const { perCredential, perPerson } = usualStreamLimits
const tries = 200
const server = await startServer()
const { world, stage } = await buildStage()
const subscriptions = operations.filter(({ endpoint }) => endpoint.kind === 'subscription')
const member = () => person({ scope: 'partner', partnerId: world.partner.id }, { role: 'Partner Admin' })

const doors = {
  REST({ endpoint }: Operation, input: Record<string, unknown>) {
    const rest = { ...input }
    const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => {
      delete rest[name]
      return encodeURIComponent(String(input[name]))
    })
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(rest)) query.set(name, String(value))
    return `/api/v1${path}?${query}`
  },
  tRPC: ({ id }: Operation, input: Record<string, unknown>) =>
    `/trpc/${id}?input=${encodeURIComponent(JSON.stringify(input))}`,
}
type Door = keyof typeof doors

interface Opened {
  readonly isOpen: boolean
  readonly said: string
  readonly retryAfter: string | undefined
  readonly status: number | undefined
  close(): void
}

const begun = new Set<ClientRequest>()
afterAll(() => {
  for (const each of begun) each.destroy()
})

/** Opens a stream. The promise settles with the first event or with the rejection. */
function open(path: string, headers: Record<string, string>): Promise<Opened> {
  return new Promise((resolve, reject) => {
    const asking = ask(server.url + path, { headers: { accept: 'text/event-stream', ...headers }, agent: false })
    begun.add(asking)
    asking.on('error', reject)
    asking.on('response', (answer) => {
      let said = ''
      const settle = (isOpen: boolean) => {
        const { statusCode: status, headers } = answer
        resolve({ isOpen, said, status, retryAfter: headers['retry-after'], close: () => asking.destroy() })
      }
      answer.on('error', () => undefined)
      answer.setEncoding('utf8').on('data', (text: string) => {
        said += text
        // A rejected stream ends with its error; an open one sends an event first.
        if (/^data: (?!.*"httpStatus")/m.test(said.replaceAll(/^event: connected\ndata: .*$/gm, ''))) settle(true)
      })
      answer.on('end', () => settle(false))
    })
    asking.end()
  })
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Another session of the same person. */
async function anotherSession({ userId }: Person): Promise<string> {
  const services = await testServices()
  const { system } = services
  const accessTokens = accessTokensOf(services)
  const { rows } = await system.query<{ id: string }>(
    `INSERT INTO sessions (user_id, token_hash, mfa, expires_at) VALUES ($1, $2, true, now() + interval '1 day') RETURNING id`,
    [userId, opaqueToken()],
  )
  const sessionId = rows[0]?.id ?? ''
  return accessTokens.sign({ userId, sessionId, scope: 'partner', partnerId: world.partner.id, orgId: null, mfa: true })
}

async function openMany(path: string, headers: Record<string, string>, count: number): Promise<Opened[]> {
  const all: Opened[] = []
  // Opened in small groups, as a program with many connections would.
  while (all.length < count) all.push(...(await Promise.all(Array.from({ length: 20 }, () => open(path, headers)))))
  return all
}

function expectRefused(refused: readonly Opened[], door: Door, words: string) {
  for (const { said, status, retryAfter } of refused) {
    expect(said).toContain(words)
    expect(said).toContain('RATE_LIMITED')
    // tRPC has started its stream by then, and sends the error inside of it.
    if (door === 'REST') expect([status, Number(retryAfter) > 0]).toEqual([429, true])
    else expect(said).toContain('"httpStatus":429')
  }
}

const cases = subscriptions.flatMap((operation) =>
  (Object.keys(doors) as Door[]).map((door) => ({ id: operation.id, door, operation })),
)

describe('event streams are limited', () => {
  it('only subscriptions produce events, and there are some', () => {
    expect(subscriptions.length).toBeGreaterThan(0)
    const events = operations.filter(({ endpoint }) => endpoint.produces === 'text/event-stream')
    expect(events).toEqual(subscriptions)
  })

  it.each(cases)('$id over $door opens up to the limit for one session', async ({ operation, door }) => {
    const input = Object(exampleOf(operation).input(stage, 'partner'))
    const path = doors[door](operation, input)
    const who = await member()
    const all = await openMany(path, bearer(who.token), tries)
    const held = all.filter(({ isOpen }) => isOpen)
    expect(held).toHaveLength(perCredential)
    const refused = all.filter(({ isOpen }) => !isOpen)
    expectRefused(refused, door, `This session already has ${perCredential} event streams open`)
    // Other sessions are not affected, and closing a stream allows another one.
    const others = await open(path, bearer((await member()).token))
    expect(others.isOpen).toBe(true)
    others.close()
    held.pop()?.close()
    await expect.poll(async () => (await open(path, bearer(who.token))).isOpen, { timeout: 10_000 }).toBe(true)
    for (const { close } of [...held, ...all]) close()
  })

  it('one person with several sessions has a limit over REST and tRPC together', async () => {
    const [operation] = subscriptions
    if (operation === undefined) throw new Error('there is no subscription')
    const input = Object(exampleOf(operation).input(stage, 'partner'))
    const who = await member()
    const sessions = [who.token, await anotherSession(who), await anotherSession(who)]
    const all: Opened[] = []
    for (const [index, token] of sessions.entries())
      all.push(
        ...(await openMany(doors[index % 2 === 0 ? 'REST' : 'tRPC'](operation, input), bearer(token), perCredential)),
      )
    expect(all.filter(({ isOpen }) => isOpen)).toHaveLength(perPerson)
    expect(all.at(-1)?.said).toContain(`This account already has ${perPerson} event streams open`)
    for (const { close } of all) close()
  })
})
