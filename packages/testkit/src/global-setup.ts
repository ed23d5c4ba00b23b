import { type Stores, startStores } from '@muster/stack/stores.ts'
import type { TestProject } from 'vitest/node'

interface Run {
  stores?: Promise<Stores>
  users: number
}

declare global {
  // Every project loads this file anew, but all of them share one PostgreSQL and one Redis: the run is kept on the process.
  var musterTestRun: Run | undefined
}

/** Starts the real stores that a whole test run uses, migrated, and tells the tests where they are. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  globalThis.musterTestRun ??= { users: 0 }
  const run = globalThis.musterTestRun
  run.users++
  run.stores ??= startStores({ onNote: (line) => console.error(line) })
  const { owner, app, system, redis, redisOf } = (await run.stores).urls
  project.provide('stores', { ownerUrl: owner, appUrl: app, systemUrl: system, redisUrl: redis, redisOf })
  return async () => {
    if (--run.users > 0) return
    globalThis.musterTestRun = undefined
    await (await run.stores)?.stop()
  }
}
