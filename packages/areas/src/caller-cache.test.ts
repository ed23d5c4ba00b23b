import type { Caller } from '@muster/kit/access.ts'
import { testServices } from '@muster/testkit/services.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { CallerCache } from './caller-cache.ts'

const { redis } = await testServices()

describe('callers resolved a moment ago', () => {
  let nowMs = 0
  let cache = new CallerCache({ now: () => nowMs }, redis, null)
  const asked: ((found: Caller | null) => void)[] = []
  const load = () => new Promise<Caller | null>((resolve) => asked.push(resolve))
  const resolve = (afterMs: number) => {
    nowMs += afterMs
    return cache.sessions.resolve('k', load)
  }
  const named = (email: string): Caller => ({
    kind: 'user',
    kindName: 'Sessions',
    userId: 'u',
    email,
    sessionId: 's',
    apiKeyId: null,
    scope: 'system',
    partnerId: null,
    orgId: null,
    orgAccess: null,
    accessibleOrgIds: null,
    siteIds: null,
    deviceGroupIds: null,
    roleId: 'r',
    permissions: new Set(),
    mfa: false,
    emailVerified: true,
    mfaOwed: null,
    partnerActive: true,
  })
  // A renewal begins, and what waits for a look-up goes on, within a turn.
  const turn = () => new Promise((done) => setImmediate(done))
  const answer = async (found: Caller | null) => {
    asked.at(-1)?.(found)
    await turn()
  }

  beforeEach(async () => {
    // What the test before has begun.
    await turn()
    cache = new CallerCache({ now: () => nowMs }, redis, null)
    asked.length = 0
    const first = resolve(0)
    await answer(named('first'))
    expect((await first)?.email).toBe('first')
  })

  it('are refreshed once in the background while they are used', async () => {
    expect((await resolve(249))?.email).toBe('first')
    expect(asked).toHaveLength(1)
    expect((await resolve(1))?.email).toBe('first')
    expect((await resolve(1))?.email).toBe('first')
    expect(asked).toHaveLength(1)
    await turn()
    expect(asked).toHaveLength(2)
    await answer(named('second'))
    expect((await resolve(300))?.email).toBe('second')
  })

  it('are good for half a second from when they were looked up, not from when the answer came', async () => {
    await resolve(300)
    await turn()
    void resolve(199)
    expect(asked).toHaveLength(2)
    void resolve(1)
    expect(asked).toHaveLength(3)
  })

  it('who are not found any more, or whose authority changes meanwhile, are not kept', async () => {
    await resolve(300)
    await turn()
    await answer(null)
    void resolve(0)
    expect(asked).toHaveLength(3)
    await answer(named('third'))
    await resolve(300)
    await turn()
    await cache.clear()
    await answer(named('from before the change'))
    void resolve(0)
    expect(asked).toHaveLength(5)
  })
})
