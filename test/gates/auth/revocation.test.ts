// Case A4: ended sessions lose access within a second on all processes, in open streams, and for API keys.
import { keys } from '@muster/areas/access/api-keys/keys.contract.ts'
import { call } from '@muster/testkit/call.ts'
import { newPassword } from '@muster/testkit/credentials.ts'
import { tokenMailedTo } from '@muster/testkit/mail.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { from, type Known, signIn, technicians } from './people.ts'
import { type Server, startServers } from './servers.ts'

const here = await world()
const { system } = await testServices()
const [near, far] = (await startServers(2)) as [Server, Server]
const people = await technicians(here, 9)
const admin = here.partnerAdmin.token
const api = (path: string) => `/api/v1${path}`

const ways: Record<string, (who: Known, accessToken: string) => Promise<{ status: number }>> = {
  'a password reset': async (who) => {
    await near.request('POST', api('/auth/forgot-password'), { body: { email: who.email }, headers: from() })
    const body = { token: await tokenMailedTo(who.email), newPassword: newPassword() }
    return near.request('POST', api('/auth/reset-password'), { body, headers: from() })
  },
  'a password change': (who, token) => {
    const body = { currentPassword: who.password, newPassword: newPassword() }
    return near.request('POST', api('/auth/change-password'), { token, body })
  },
  logout: (_who, token) => near.request('POST', api('/auth/logout'), { token, body: {} }),
  'ending the other sessions': async (who) => {
    const other = await signIn(near, who)
    return near.request('DELETE', api('/auth/sessions'), { token: other.accessToken })
  },
  'disabling the user': (who) =>
    near.request('PATCH', api(`/users/${who.userId}`), { token: admin, body: { status: 'disabled' } }),
  'ending the sessions by an administrator': (who) =>
    near.request('POST', api(`/users/${who.userId}/end-sessions`), { token: admin, body: {} }),
  'a reset of the second factors': (who) =>
    near.request('POST', api(`/users/${who.userId}/reset-mfa`), { token: admin, body: {} }),
  'a password reset by an administrator': (who) =>
    near.request('POST', api(`/users/${who.userId}/reset-password`), { token: admin, body: {} }),
  'removing the user': (who) => near.request('DELETE', api(`/users/${who.userId}`), { token: admin }),
}

/** Opens the event stream. `ended` resolves to the time when it ended. */
async function follow(server: Server, token: string) {
  const answer = await fetch(`${server.url}${api('/devices/events')}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(answer.status).toBe(200)
  const reader = answer.body?.getReader()
  await reader?.read()
  const ended = (async () => {
    try {
      while (reader && !(await reader.read()).done);
    } catch {
      // A broken connection ends the stream too.
    }
    return performance.now()
  })()
  return { ended }
}

/** The time of the first response with a status other than 200. */
async function refusedAt(ask: () => Promise<{ status: number }>): Promise<number> {
  while (true) {
    if ((await ask()).status !== 200) return performance.now()
  }
}

describe('A4: within a second, on another process', () => {
  it.each(Object.entries(ways))('%s ends access, refresh and open streams', async (_way, end) => {
    const who = people.pop()
    if (who === undefined) throw new Error('no technician is left')
    const tokens = await signIn(near, who)
    const { ended } = await follow(far, tokens.accessToken)
    const me = () => far.request('GET', api('/auth/me'), { token: tokens.accessToken })
    expect((await me()).status).toBe(200)
    expect((await end(who, tokens.accessToken)).status).toBe(200)
    const at = performance.now()
    const [access, stream] = await Promise.all([refusedAt(me), ended])
    expect(access - at).toBeLessThan(1_000)
    expect(stream - at).toBeLessThan(1_000)
    const refreshed = await far.request('POST', api('/auth/refresh'), {
      body: { refreshToken: tokens.refreshToken },
      headers: from(),
    })
    expect(refreshed.status).toBe(401)
  })

  it('removing a role ends its open stream and the access of its API keys', async () => {
    const own = await world()
    const { partnerAdmin } = own
    const { key } = await call(partnerAdmin, keys.create, { name: 'Script', scopes: ['devices:read'] })
    const { ended } = await follow(far, partnerAdmin.token)
    const withKey = () => far.request('GET', api('/devices'), { headers: { 'x-api-key': key } })
    expect((await withKey()).status).toBe(200)
    const { rows } = await system.query(
      `INSERT INTO roles (partner_id, scope, name) VALUES ($1, 'partner', 'Nothing') RETURNING id`,
      [own.partner.id],
    )
    const assigned = await near.request('POST', api(`/users/${own.partnerViewer.userId}/role`), {
      token: partnerAdmin.token,
      body: { roleId: rows[0].id },
    })
    expect(assigned.status).toBe(200)
    const viewer = await far.request('GET', api('/devices'), { token: own.partnerViewer.token })
    expect(viewer.status).toBe(403)
    await system.query('UPDATE partner_users SET role_id = $2 WHERE user_id = $1', [partnerAdmin.userId, rows[0].id])
    const at = performance.now()
    const refused = await refusedAt(withKey)
    expect(refused - at).toBeLessThan(1_000)
    // The change was made directly in the database, without a notification. The stream's periodic check detects it.
    expect((await ended) - at).toBeLessThan(6_000)
  })
})
