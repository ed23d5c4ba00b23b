import { expect, it } from 'vitest'
import { OpenStreams } from './open-streams.ts'

const limits = { perCredential: 3, perPerson: 5, perProcess: 8 }
const session = (userId: string, sessionId: string) => ({ userId, sessionId, apiKeyId: null })
const apiKey = (apiKeyId: string) => ({ userId: 'u1', sessionId: null, apiKeyId })
const refused = (words: RegExp) =>
  expect.objectContaining({ code: 'RATE_LIMITED', status: 429, message: expect.stringMatching(words) })

/** Opens as many as it is let, up to 20. @returns what closes each, and the refusal that ended it */
function openAll(streams: OpenStreams, owner: Parameters<OpenStreams['take']>[0]) {
  const open: (() => void)[] = []
  for (let n = 0; n < 20; n++) {
    try {
      open.push(streams.take(owner, '192.0.2.1'))
    } catch (refusal) {
      return { open, refusal }
    }
  }
  return { open, refusal: null }
}

it('a session, a user over all sessions, and the process have limits of open streams', () => {
  const streams = new OpenStreams(limits)
  const first = openAll(streams, session('u1', 's1'))
  expect([first.open.length, first.refusal]).toEqual([3, refused(/^This session already has 3 /)])
  const second = openAll(streams, session('u1', 's2'))
  expect([second.open.length, second.refusal]).toEqual([2, refused(/^This account already has 5 /)])
  const other = openAll(streams, session('u2', 's3'))
  expect([other.open.length, other.refusal]).toEqual([3, refused(/^This session /)])
  expect(openAll(streams, session('u3', 's4')).refusal).toEqual(refused(/^The server /))
})

it('API keys and addresses are counted separately', () => {
  const streams = new OpenStreams({ ...limits, perProcess: 100 })
  expect(openAll(streams, apiKey('k1')).refusal).toEqual(refused(/^This API key already has 3 /))
  expect(openAll(streams, apiKey('k2')).open).toHaveLength(3)
  expect(openAll(streams, session('u1', 's1')).open).toHaveLength(3)
  expect(openAll(streams, null)).toEqual({
    open: expect.objectContaining({ length: 5 }),
    refusal: refused(/^This address /),
  })
})

it('a stream is released once', () => {
  const streams = new OpenStreams(limits)
  const { open } = openAll(streams, session('u1', 's1'))
  const [close] = open
  close?.()
  close?.()
  expect(streams.size).toBe(2)
  expect(openAll(streams, session('u1', 's1')).open).toHaveLength(1)
})
