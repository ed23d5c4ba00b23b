// The service's answers to the service control manager, with its calls as Windows documents them.
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { ServiceStatus } from './native/services-api.ts'
import { joinServiceManager } from './service-host.ts'
import { callbacks, record, recorded } from './testing/recorded-windows.ts'

vi.mock('./native/koffi.ts', () => import('./testing/recorded-windows.ts'))

const controls = { stop: 1, interrogate: 4, shutdown: 5, sessionChange: 0xe, preshutdown: 0xf, powerEvent: 0xd }
const notHandled = 120
let told: { state: number; accepted: number; waitHint: number; specificExitCode: number }[]

/** Joins the manager, which then may send controls. */
async function joined() {
  record({
    StartServiceCtrlDispatcherW: (table: Buffer) => {
      const main = callbacks.get(table.readBigUInt64LE(8))
      queueMicrotask(() => main?.())
      return 0
    },
    RegisterServiceCtrlHandlerExW: () => 5n,
    SetServiceStatus: (_service: bigint, status: Buffer) => told.push(ServiceStatus.read(status)),
  })
  const manager = await joinServiceManager()
  const handler = [...callbacks.values()].at(-1)
  return { manager, send: (control: number) => handler?.(control) }
}

beforeEach(() => {
  recorded.clear()
  callbacks.clear()
  told = []
})

describe('the service', () => {
  test('tells that it runs, and which controls it takes', async () => {
    await joined()
    expect(told).toMatchObject([{ state: 4, accepted: 0x105 }])
  })

  test.each(['stop', 'shutdown', 'preshutdown'] as const)('stops at %s, and asks for time until then', async (name) => {
    const { manager, send } = await joined()
    const stop = vi.fn()
    manager.onStop(stop)
    expect(send(controls[name])).toBe(0)
    expect(stop).toHaveBeenCalledOnce()
    expect(told.at(-1)).toMatchObject({ state: 3, accepted: 0, waitHint: 20_000 })
    manager.stopped(75)
    expect(told.at(-1)).toMatchObject({ state: 1, specificExitCode: 75 })
  })

  test('stops although it was asked to before it was ready', async () => {
    const { manager, send } = await joined()
    send(controls.stop)
    const stop = vi.fn()
    manager.onStop(stop)
    expect(stop).toHaveBeenCalledOnce()
  })

  test('runs on after a session change and other controls that it does not take', async () => {
    const { manager, send } = await joined()
    const stop = vi.fn()
    manager.onStop(stop)
    for (const control of [controls.sessionChange, controls.powerEvent]) expect(send(control)).toBe(notHandled)
    expect(send(controls.interrogate)).toBe(0)
    expect(stop).not.toHaveBeenCalled()
    expect(told).toHaveLength(1)
  })
})

test('a process that the manager did not start is told so', async () => {
  const refused = (_table: Buffer, done: (error: null, result: number) => void) => {
    done(null, 0)
    return 0
  }
  record({ StartServiceCtrlDispatcherW: refused })
  await expect(joinServiceManager()).rejects.toThrow('error 1063')
})
