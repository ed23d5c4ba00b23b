import type { ServiceManager } from '../platform.ts'
import { serviceName } from './installed-key.ts'
import { Win32Error } from './native/errors.ts'
import { type Handle, koffi } from './native/koffi.ts'
import { wide } from './native/layout.ts'
import {
  registerHandler,
  serviceHandler,
  serviceMain,
  setServiceStatus,
  startDispatcher,
} from './native/service-host-api.ts'
import { ServiceStatus } from './native/services-api.ts'
import { native } from './thread/native-thread.ts'

const ownProcess = 0x10
const states = { stopped: 1, stopPending: 3, running: 4 } as const
/** Stop, shutdown, and the time before a shutdown. Not session changes: the agent looks at the sessions when it needs them. */
const accepted = 0x1 | 0x4 | 0x100
const controls = { stop: 1, interrogate: 4, shutdown: 5, preshutdown: 0xf } as const
/** ERROR_CALL_NOT_IMPLEMENTED: the answer that Windows documents for controls that a service does not accept. */
const controlNotAccepted = 120
const stopWaitMs = 20_000
const eventTimeoutMs = 5_000

/**
 * Joins the service control manager. Its dispatcher blocks one thread of the runtime's pool for as long as the service runs;
 * its calls arrive as events of this process, so that one executable and one process are enough.
 */
export async function joinServiceManager(): Promise<ServiceManager> {
  const name = wide(serviceName)
  let status: Handle = 0
  let stop: (() => void) | undefined
  let isAsked = false
  const tell = (state: number, exitCode = 0) => {
    const body = Buffer.alloc(ServiceStatus.size)
    const set = (member: 'type' | 'state' | 'accepted' | 'exitCode' | 'specificExitCode' | 'waitHint', value: number) =>
      body.writeUInt32LE(value, ServiceStatus.offsetOf(member))
    set('type', ownProcess)
    set('state', state)
    set('accepted', state === states.running ? accepted : 0)
    // The code of a service itself, which the manager shows and its recovery actions see.
    set('exitCode', exitCode === 0 ? 0 : 1_066)
    set('specificExitCode', exitCode)
    set('waitHint', state === states.stopPending ? stopWaitMs : 0)
    setServiceStatus(status, body)
  }
  const onControl = (control: number): number => {
    if (control === controls.interrogate) return 0
    if (control !== controls.stop && control !== controls.shutdown && control !== controls.preshutdown)
      return controlNotAccepted
    tell(states.stopPending)
    isAsked = true
    stop?.()
    return 0
  }
  await new Promise<void>((resolve, reject) => {
    const main = serviceMain(() => {
      status = registerHandler(name, serviceHandler(onControl), null)
      tell(states.running)
      resolve()
    })
    // Two entries of a name and a function; the second one is empty.
    const table = Buffer.alloc(32)
    table.writeBigUInt64LE(BigInt(koffi.address(name)))
    table.writeBigUInt64LE(BigInt(main), 8)
    startDispatcher.async(table, (error, result) => {
      if (error !== null) reject(error)
      else if (result === 0) reject(new Win32Error('StartServiceCtrlDispatcherW', 1_063))
    })
  })
  return {
    onStop: (work) => {
      stop = work
      if (isAsked) work()
    },
    stopped: (exitCode) => tell(states.stopped, exitCode),
    // The event log is another service, which may be slow. The log of the agent's own service has each event as well.
    report: (kind, message) => native('writeEvent', [kind, message], eventTimeoutMs).catch(() => undefined),
  }
}
