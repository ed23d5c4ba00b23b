// Subscriptions. They pass the same checks as `run`, and end as soon as the authority of the caller changes.
import { admit, type Caller } from '../access.ts'
import { callerOrThrow, noDatabase, noWrite, type Operation, type Reply, type Request, type Runtime } from '../call.ts'
import type { Access } from '../contract.ts'
import { invariant, unavailable } from '../errors.ts'
import { admitted } from './admission.ts'
import { parseInput } from './input.ts'

/** Runs a subscription: checks admission, then streams parsed events without a transaction. */
export async function* follow<Db, Services>(
  operation: Operation<Db, Services>,
  given: unknown,
  request: Request,
  reply: Reply,
  runtime: Runtime<Db, Services>,
): AsyncGenerator<unknown> {
  const caller = await admitted(operation, request, reply, runtime)
  const input = parseInput(operation.endpoint, given)
  const leave = runtime.streams.take(caller, request.ip)
  // Also for a client that disconnects before the first event is read. Then no later code runs.
  request.signal.addEventListener('abort', leave, { once: true })
  try {
    yield* admittedEvents(operation, { caller, input }, request, reply, runtime)
  } finally {
    request.signal.removeEventListener('abort', leave)
    leave()
  }
}

async function* admittedEvents<Db, Services>(
  operation: Operation<Db, Services>,
  { caller, input }: { caller: Caller | null; input: unknown },
  request: Request,
  reply: Reply,
  runtime: Runtime<Db, Services>,
): AsyncGenerator<unknown> {
  const revoked = new AbortController()
  const signal = AbortSignal.any([request.signal, revoked.signal])
  const events = operation.handle({
    caller: callerOrThrow(caller),
    input,
    db: noDatabase as Db,
    write: noWrite,
    services: runtime.services,
    request: { ...request, signal },
    reply,
    audit: () => invariant(false, 'a subscription changes nothing'),
    stepUp: async () => {
      throw new Error('a subscription takes no proof')
    },
    afterCommit: () => invariant(false, 'a subscription has no commit'),
    answerLater: () => invariant(false, 'a subscription has no single answer'),
  }) as AsyncIterable<unknown>
  const unwatch = watchAuthority(operation.endpoint.access, caller, request, runtime, (why) => revoked.abort(why))
  try {
    for await (const event of untilAborted(events, revoked.signal)) yield operation.endpoint.output.parse(event)
  } finally {
    unwatch()
  }
}

/** Ends with the reason of the signal, without waiting for a source that ignores it. */
async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  let interrupt: (why: unknown) => void = () => undefined
  const aborted = () => interrupt(signal.reason)
  signal.addEventListener('abort', aborted, { once: true })
  try {
    while (true) {
      signal.throwIfAborted()
      // One promise per event. A single promise for the whole subscription would keep references to all events.
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        interrupt = reject
        iterator.next().then(resolve, reject)
      })
      if (next.done) return
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', aborted)
    void iterator.return?.()
  }
}

/** Resolves the caller again after each change of authority. Ends the subscription when the result differs. */
function watchAuthority<Db, Services>(
  access: Access,
  caller: Caller | null,
  request: Request,
  runtime: Runtime<Db, Services>,
  end: (why: unknown) => void,
): () => void {
  if (caller === null) return () => undefined
  const same = JSON.stringify(caller, authority)
  return runtime.onAuthorityChange(() => {
    const asked = async () => {
      const now = await runtime.authenticate(request)
      admit(access, now)
      if (JSON.stringify(now, authority) !== same) throw unavailable('Your access has changed. Subscribe again', 1)
    }
    void asked().catch(end)
  })
}
/** The authority of a caller as comparable text. A new proof does not change it. */
const authority = (name: string, value: unknown) =>
  name === 'confirmedAt' ? undefined : value instanceof Set ? [...value].sort() : value
