import { pause } from '../../../pause.ts'
import { ToolFailure } from '../../../tool-failure.ts'
import type { ServiceTools } from '../../tools.ts'
import { native } from '../thread/native-thread.ts'

const lookEveryMs = 250

/**
 * Services of the service control manager.
 * @param patienceMs how long a service may take to start or to stop
 */
export function createServiceTools(patienceMs = 45_000): ServiceTools {
  /** Waits for a state. A service that stays in another one, such as `stopping`, is named with it. */
  async function reached(name: string, wanted: string, failures: readonly string[]): Promise<string> {
    const deadline = performance.now() + patienceMs
    for (;;) {
      const state = await native('serviceState', [name])
      if (state === wanted) return state
      if (failures.includes(state)) throw new ToolFailure('COMMAND_FAILED', `Service ${name} ended while it started`)
      if (performance.now() > deadline) throw new ToolFailure('TIMED_OUT', `Service ${name} is still ${state}`)
      await pause(lookEveryMs, new AbortController().signal)
    }
  }

  async function start(name: string): Promise<string> {
    await native('beginStart', [name])
    return reached(name, 'running', ['stopped'])
  }

  /** Stops a service, and before it the services that need it. */
  async function stop(name: string): Promise<string> {
    for (const dependent of await native('runningDependents', [name])) {
      await native('beginStop', [dependent])
      await reached(dependent, 'stopped', [])
    }
    await native('beginStop', [name])
    return reached(name, 'stopped', [])
  }

  return {
    list: () => native('listServices', []),
    detail: (name) => native('serviceDetail', [name]),
    async control(name, action) {
      if (action === 'start') return { name, state: await start(name) }
      if (action === 'stop') return { name, state: await stop(name) }
      const dependents = await native('runningDependents', [name])
      await stop(name)
      const state = await start(name)
      // Those that were stopped with it, the last one first.
      for (const dependent of dependents.reverse()) await start(dependent)
      return { name, state }
    },
  }
}
