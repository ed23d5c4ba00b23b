import { type Stores, startStores } from '@muster/stack/stores.ts'
import pg from 'pg'
import type { TestProject } from 'vitest/node'

interface Run {
  stores?: Promise<Stores>
  users: number
}

declare global {
  // Every project loads this file, but they share one PostgreSQL and one Redis, so the run is stored on the process.
  var musterTestRun: Run | undefined
}

/** Starts and migrates the stores of a test run, and provides their addresses to the tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  globalThis.musterTestRun ??= { users: 0 }
  const run = globalThis.musterTestRun
  run.users++
  run.stores ??= startWithTemplate()
  const { owner, app, system, redis, redisOf } = (await run.stores).urls
  project.provide('stores', { ownerUrl: owner, appUrl: app, systemUrl: system, redisUrl: redis, redisOf, template })
  return async () => {
    if (--run.users > 0) return
    globalThis.musterTestRun = undefined
    await (await run.stores)?.stop()
  }
}

/** A copy of the migrated database, before any test has used it. Tests copy it instead of migrating an empty one. */
const template = 'migrated'

async function startWithTemplate(): Promise<Stores> {
  const stores = await startStores({ onNote: (line) => console.error(line) })
  const client = new pg.Client({ connectionString: stores.urls.owner })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>('SELECT current_database() AS name')
    await client.query(`CREATE DATABASE ${template} TEMPLATE ${client.escapeIdentifier(rows[0]?.name ?? '')}`)
  } finally {
    await client.end()
  }
  return stores
}
