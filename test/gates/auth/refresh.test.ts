// Case A1: stolen refresh tokens, and refreshes at the same time from two and from fifty clients.
import { auditOf } from '@muster/testkit/audit.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { from, signIn, technicians } from './people.ts'
import { startServers } from './servers.ts'

const here = await world()
const { system } = await testServices()
const [one, two] = await startServers(2)
if (one === undefined || two === undefined) throw new Error('no servers')
const people = await technicians(here, 4)

const refresh = (server: typeof one, refreshToken: string) =>
  server.request('POST', '/api/v1/auth/refresh', { body: { refreshToken }, headers: from() })
const me = (server: typeof one, token: string) => server.request('GET', '/api/v1/auth/me', { token })

/** Moves the use of a session's refresh tokens into the past, beyond the overlap. */
const endOverlap = (userId: string) =>
  system.query(
    `UPDATE used_refresh_tokens SET used_at = used_at - interval '11 seconds'
     WHERE session_id IN (SELECT id FROM sessions WHERE user_id = $1)`,
    [userId],
  )

async function isReuseAudited(userId: string): Promise<boolean> {
  const { rows } = await system.query('SELECT id FROM sessions WHERE user_id = $1', [userId])
  const records = await Promise.all(rows.map(({ id }) => auditOf(id)))
  return records.flat().some(({ action }) => action === 'auth.refresh.reuse')
}

describe('A1', () => {
  it('ends the session when a thief uses a refresh token that the owner used before', async () => {
    const [who] = people
    if (who === undefined) return
    const stolen = await signIn(one, who)
    const owner = await refresh(one, stolen.refreshToken)
    await endOverlap(who.userId)
    expect((await refresh(two, stolen.refreshToken)).status).toBe(401)
    expect((await refresh(one, owner.body.refreshToken)).status).toBe(401)
    expect((await me(one, owner.body.accessToken)).status).toBe(401)
    expect(await isReuseAudited(who.userId)).toBe(true)
  })

  it('ends the session of a thief when the owner uses the same refresh token later', async () => {
    const who = people[1]
    if (who === undefined) return
    const owner = await signIn(one, who)
    const thief = await refresh(two, owner.refreshToken)
    await endOverlap(who.userId)
    expect((await refresh(one, owner.refreshToken)).status).toBe(401)
    expect((await refresh(two, thief.body.refreshToken)).status).toBe(401)
    expect((await me(two, thief.body.accessToken)).status).toBe(401)
    expect(await isReuseAudited(who.userId)).toBe(true)
  })

  it('gives two windows that refresh at the same time on two processes the same new token', async () => {
    const who = people[2]
    if (who === undefined) return
    let { refreshToken } = await signIn(one, who)
    for (let round = 0; round < 5; round++) {
      const [left, right] = await Promise.all([refresh(one, refreshToken), refresh(two, refreshToken)])
      expect([left.status, right.status]).toEqual([200, 200])
      expect(left.body.refreshToken).toBe(right.body.refreshToken)
      expect((await me(one, right.body.accessToken)).status).toBe(200)
      refreshToken = left.body.refreshToken
    }
  })

  it('issues exactly one new token for fifty refreshes at the same time', async () => {
    const who = people[3]
    if (who === undefined) return
    const { refreshToken } = await signIn(one, who)
    const crowd = Array.from({ length: 50 }, (_, n) => refresh(n % 2 === 0 ? one : two, refreshToken))
    const answers = await Promise.all(crowd)
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200))
    expect(new Set(answers.map(({ body }) => body.refreshToken)).size).toBe(1)
    const { rows } = await system.query(
      `SELECT count(*) FROM used_refresh_tokens u JOIN sessions s ON s.id = u.session_id WHERE s.user_id = $1`,
      [who.userId],
    )
    expect(rows).toEqual([{ count: 1 }])
  })
})
