// Real services over the run's own Postgres and Redis, made once per test file.

import { bootstrap } from '@muster/areas/access/auth/sign-in/bootstrap.ts'
import { createRuntime, createServices } from '@muster/areas/runtime.ts'
import type { Services } from '@muster/areas/services.ts'
import { connectRedis, type Redis, untilReady } from '@muster/backplane/redis.ts'
import type { Db } from '@muster/db/database.ts'
import { createPool } from '@muster/db/pool.ts'
import type { Runtime } from '@muster/kit/call.ts'
import { createLog } from '@muster/kit/log.ts'
import { createGrantKeyring } from '@muster/kit/secrets/grant-keyring.ts'
import { createKeyring } from '@muster/kit/secrets/keyring.ts'
import { afterAll } from 'vitest'
import { outgoingForTests } from './outgoing.ts'
import { type TestDatabase, testDatabase, testRedis, testRedisOf } from './stores.ts'

/** With this token tests read the SMS that were sent. */
const testOutboxToken = 'outbox-of-the-tests-and-of-no-one-else'

async function makeServices({ appUrl, systemUrl }: TestDatabase): Promise<Services> {
  const redis = connectRedis(testRedisOf('admin'), 'test')
  await untilReady(redis, 10_000)
  const services = createServices({
    people: createPool({ url: appUrl, name: 'test', max: 6 }),
    system: createPool({ url: systemUrl, name: 'test-system', max: 6 }),
    redis,
    keyring: createKeyring(),
    grantKeyring: createGrantKeyring(),
    log: createLog('test', 'silent'),
    settings: {
      version: '0.0.0-test',
      publicUrl: 'http://127.0.0.1:3000',
      ingestUrl: 'ws://127.0.0.1:3001/agent',
      enableRegistration: true,
      enable2fa: true,
      outboxToken: testOutboxToken,
      outgoing: outgoingForTests,
    },
  })
  await bootstrap(services, null)
  afterAll(async () => {
    // Test files may share a process; the next one creates its own services.
    made = undefined
    await Promise.all([services.people.end(), services.system.end()])
    redis.disconnect()
  })
  return services
}

let made: Promise<Services> | undefined

/** The services of this test file. @param database another one than that of the run, for the first call of a file */
export function testServices(database = testDatabase()): Promise<Services> {
  made ??= makeServices(database)
  return made
}

let operator: Promise<Redis> | undefined

/** The run's Redis with an operator's login, to read keys and to act as a process other than admin. */
export function operatorRedis(): Promise<Redis> {
  operator ??= connectOperator()
  return operator
}

async function connectOperator(): Promise<Redis> {
  const redis = connectRedis(testRedis(), 'test-operator')
  await untilReady(redis, 10_000)
  afterAll(() => {
    operator = undefined
    redis.disconnect()
  })
  return redis
}

/** The runtime with these services, as REST and tRPC use it. */
export const testRuntime = async (): Promise<Runtime<Db, Services>> => createRuntime(await testServices())
