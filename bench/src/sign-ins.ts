import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { SignIn, SignInOrders } from './generator/sign-ins.process.ts'

export interface SignIns {
  readonly pid: number
  /** Signs users in and returns the outcome of each attempt. */
  run(orders: SignInOrders): Promise<SignIn[]>
  stop(): Promise<void>
}

/** Starts the process that signs users in. */
export function startSignIns(): SignIns {
  const file = fileURLToPath(new URL('generator/sign-ins.process.ts', import.meta.url))
  const child = fork(file, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  return {
    pid: child.pid ?? -1,
    async run(orders) {
      const ended = once(child, 'exit').then(() => {
        throw new Error('the process that signs people in has ended')
      })
      child.send(orders)
      const [done]: SignIn[][] = await Promise.race([once(child, 'message'), ended])
      ended.catch(() => undefined)
      return done ?? []
    },
    async stop() {
      const gone = once(child, 'exit')
      if (child.connected) child.disconnect()
      await gone
    },
  }
}
