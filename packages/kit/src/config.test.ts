import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ConfigError, chosenSecret, onOff, port, postgresUrl, readConfig, redisUrl } from './config.ts'

describe('settings', () => {
  const schema = z.object({ PORT: port(3000), REDIS_URL: redisUrl(), ON: onOff(true) })
  it('refuses passwords that stand in examples, also inside of addresses', () => {
    const given = z.object({ PASSWORD: chosenSecret(), DATABASE_URL: postgresUrl(), REDIS_URL: redisUrl() })
    const good = {
      PASSWORD: 'gull harbor 4711',
      DATABASE_URL: 'postgres://muster_app:h7Wq0Zx@db:5432/muster',
      REDIS_URL: 'redis://redis:6379',
    }
    expect(readConfig(given, good)).toEqual(good)
    for (const bad of ['change-me', 'ChangeMe', 'change%2Dme', 'password1', 'your-password']) {
      const wrong = {
        PASSWORD: decodeURIComponent(bad),
        DATABASE_URL: `postgres://muster_app:${bad}@db:5432/muster`,
        REDIS_URL: `redis://admin:${bad}@redis:6379`,
      }
      for (const name of ['PASSWORD', 'DATABASE_URL', 'REDIS_URL'] as const) {
        expect(() => readConfig(given, { ...good, [name]: wrong[name] })).toThrow(new RegExp(`${name} is wrong`))
      }
    }
  })

  it('names every wrong or missing variable and what it should be', () => {
    const read = () => readConfig(schema, { PORT: '99999', ON: 'perhaps' })
    expect(read).toThrow(ConfigError)
    expect(read).toThrow(
      /PORT is wrong[\s\S]*REDIS_URL is not set: should look like redis:\/\/host:6379[\s\S]*ON is wrong: should be true or false/,
    )
  })
  it('takes one Redis, or the nodes of a cluster', () => {
    const read = (address: string) => () => readConfig(schema, { REDIS_URL: address })
    for (const good of ['rediss://:secret@one:6379', 'redis://one:6379,redis://two:6380', 'redis://one?cluster=true'])
      expect(read(good)().REDIS_URL).toBe(good)
    for (const bad of ['one:6379', 'http://one', 'redis://one:6379,two', 'redis://one,'])
      expect(read(bad)).toThrow('with commas between')
  })
  it('takes empty text for not set', () => {
    expect(readConfig(schema, { PORT: '', REDIS_URL: 'redis://127.0.0.1:6379', ON: '0' })).toEqual({
      PORT: 3000,
      REDIS_URL: 'redis://127.0.0.1:6379',
      ON: false,
    })
  })
})
