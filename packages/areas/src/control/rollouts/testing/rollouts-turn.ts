import { testServices } from '@muster/testkit/services.ts'
import { afterAll } from 'vitest'

/** Waits until no other file tests updates of agents: one rollout and one stop exist for the whole installation. */
export async function rolloutsTurn(): Promise<void> {
  const { system } = await testServices()
  const turn = await system.connect()
  await turn.query('SET statement_timeout = 0; SET lock_timeout = 0')
  await turn.query(`SELECT pg_advisory_lock(hashtextextended('tests of agent updates', 0))`)
  afterAll(() => turn.release(true))
}
