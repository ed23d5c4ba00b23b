// An Idempotency-Key of operations that commit on their own.
import { randomUUID } from 'node:crypto'
import { AppError, unavailable } from '@muster/kit/errors.ts'
import { keptOnce } from '@muster/kit/operation/idempotency.ts'
import { EarlierAnswer } from '@muster/kit/operation/repeat.ts'
import { requestAs } from '@muster/testkit/call.ts'
import { testRuntime, testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { authenticate } from './access/auth/sessions/authenticate.ts'
import { repeatIn } from './repeats.ts'

const here = await world()
const services = await testServices()
const runtime = await testRuntime()
const caller = await authenticate(services, requestAs(here.partnerAdmin))
const repeat = (key: string) => {
  if (caller === null) throw new Error('the caller is not let in')
  return repeatIn(services, 'test.things.act', caller, key, 'input')
}

/** A request with a key, whose work commits something and then ends as told. */
function request(key: string, ending: () => unknown) {
  let runs = 0
  const send = () =>
    keptOnce(repeat(key), runtime, async (acted) => {
      runs += 1
      await runtime.transaction(null, 'write', async (db) => acted(db))
      return ending()
    })
  return { send, runs: () => runs }
}
const codeOf = (error: unknown) => (error instanceof AppError ? error.code : error)

describe('an operation with transactions of its own', () => {
  it('acts once for six requests at once, and answers the same afterwards', async () => {
    const { send, runs } = request(randomUUID(), () => ({ done: 1 }))
    const all = await Promise.allSettled(Array.from({ length: 6 }, send))
    expect(runs()).toBe(1)
    const refusals = all.flatMap((one) => (one.status === 'rejected' ? codeOf(one.reason) : []))
    expect(refusals.filter((code) => code !== 'CONFLICT')).toEqual([])
    const again = await send()
    expect(again).toBeInstanceOf(EarlierAnswer)
    expect((again as EarlierAnswer).output).toEqual({ done: 1 })
    expect(runs()).toBe(1)
  })

  it('may be asked again under the same key after a refusal', async () => {
    const { send, runs } = request(randomUUID(), () => {
      throw new AppError('DEVICE_OFFLINE', 'The device is not connected')
    })
    for (const run of [1, 2]) {
      expect(await send().catch(codeOf)).toBe('DEVICE_OFFLINE')
      expect(runs()).toBe(run)
    }
  })

  it('acts no second time when it failed after it changed something', async () => {
    const { send, runs } = request(randomUUID(), () => {
      throw unavailable('No answer')
    })
    expect(await send().catch(codeOf)).toBe('UNAVAILABLE')
    const again: unknown = await send().catch((error: unknown) => error)
    expect(again).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('changed something') })
    expect(runs()).toBe(1)
  })
})
