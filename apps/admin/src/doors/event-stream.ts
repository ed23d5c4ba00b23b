// Subscriptions over REST: server-sent events.
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'

const keepAliveMs = 15_000

/** Events as text. A comment during idle times keeps proxies and time-outs from closing the connection. */
async function* asServerSentEvents(events: AsyncGenerator<unknown>): AsyncGenerator<string> {
  yield ': connected\n\n'
  try {
    let next = events.next()
    for (;;) {
      const quiet = new AbortController()
      const pause = setTimeout(keepAliveMs, 'quiet' as const, { signal: quiet.signal }).catch(() => 'quiet' as const)
      const first = await Promise.race([next, pause])
      quiet.abort()
      if (first === 'quiet') {
        yield ': still here\n\n'
        continue
      }
      if (first.done) return
      yield `data: ${JSON.stringify(first.value)}\n\n`
      next = events.next()
    }
  } finally {
    await events.return(undefined)
  }
}

async function* startingWith(first: IteratorResult<unknown>, rest: AsyncGenerator<unknown>): AsyncGenerator<unknown> {
  if (first.done) return
  yield first.value
  yield* rest
}

/** @param first the first event, which was read already */
export const eventStream = (first: IteratorResult<unknown>, rest: AsyncGenerator<unknown>): Readable =>
  Readable.from(asServerSentEvents(startingWith(first, rest)))
