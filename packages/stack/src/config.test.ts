import { expect, test } from 'vitest'
import { childEnvironment, readLauncherConfig } from './config.ts'

test('has a default for every setting', () => {
  expect(readLauncherConfig({})).toMatchObject({
    ADMIN_PORT: 3000,
    INGEST_PORT: 3001,
    METRICS_PORT: 9464,
    BOOTSTRAP_EMAIL: 'admin@muster.local',
    MUSTER_LOCAL_AGENT: true,
    INGEST_PROCESSES: 1,
    AUTO_MIGRATE: true,
    MUSTER_DATA_DIR: expect.stringMatching(/\/\.muster$/),
  })
})

test('names every invalid variable and its rule', () => {
  const wrong = { ADMIN_PORT: '70000', REDIS_URL: 'localhost', MUSTER_LOCAL_AGENT: 'perhaps' }
  for (const name of Object.keys(wrong)) expect(() => readLauncherConfig(wrong)).toThrow(`${name} is wrong`)
})

test('passes no owner login, administrator or other secrets of the launcher to the processes', () => {
  const given = {
    PATH: '/bin',
    LOG_LEVEL: 'debug',
    DATABASE_URL: 'postgres://owner@host/muster',
    BOOTSTRAP_PASSWORD: 'secret',
    npm_config_registry: 'x',
  }
  expect(childEnvironment(given)).toEqual({ PATH: '/bin', LOG_LEVEL: 'debug' })
})
