import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { implementation, operationsOf, type Request, type Runtime } from '../call.ts'
import { anyone, live } from '../contract.ts'
import { follow } from './follow.ts'
import { OpenStreams, usualStreamLimits } from './open-streams.ts'

const Tick = z.object({ at: z.number() })
const ticks = {
  follow: live('/ticks', {
    summary: 'Ticks of a clock',
    access: anyone,
    input: z.object({}),
    output: Tick,
  }),
}
type Runs = Runtime<object, object>
const runtime: Runs = {
  services: {},
  limit: async () => undefined,
  authenticate: async () => null,
  transaction: async (_caller, _mode, work) => work({}),
  audit: async () => undefined,
  lock: async () => undefined,
  repeat: () => {
    throw new Error('no key was sent')
  },
  denied: () => undefined,
  canRetry: () => false,
  stepUp: async () => ({ shown: [], code: null }),
  effectFailed: () => undefined,
  onAuthorityChange: () => () => undefined,
  streams: new OpenStreams(usualStreamLimits),
}
const request = (signal: AbortSignal): Request => ({
  ...{ id: 'r1', ip: '127.0.0.1', userAgent: null, body: null, signal },
  header: () => undefined,
  cookie: () => undefined,
})

/** The events of the source that are still referenced. */
function clock() {
  const given: WeakRef<object>[] = []
  const [operation] = operationsOf<object, object>({
    area: {
      ticks: implementation<typeof ticks, object, object>(ticks, {
        async *follow() {
          for (let at = 0; ; at++) {
            const tick = { at }
            given.push(new WeakRef(tick))
            yield tick
          }
        },
      }),
    },
  })
  if (operation === undefined) throw new Error('there is an operation')
  const signal = new AbortController().signal
  return { given, events: follow(operation, {}, request(signal), { header() {}, cookie() {} }, runtime) }
}

function collect(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

it('a subscription does not keep references to delivered events', async () => {
  const { given, events } = clock()
  for (let event = 0; event < 100; event++) await events.next()
  // Objects are collected only after the turn in which they were used.
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  expect(given.slice(0, 90).filter((tick) => tick.deref() !== undefined)).toEqual([])
  await events.return(undefined)
})
