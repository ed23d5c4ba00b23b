import { expect, it } from 'vitest'
import { Backtest } from './backtest.ts'

it('counts the messages of each organization, which wait for others', () => {
  const keyOf = (deviceId: string) => (deviceId === 'three' ? 'other' : 'acme')
  const backtest = new Backtest(300, { keyOf, waitMs: 30_000, intervalMs: 300_000 })
  const opened = { one: [0, 299_000, 1_000_000], two: [20_000, 310_000], three: [20_000] }
  for (const [deviceId, times] of Object.entries(opened)) for (const atMs of times) backtest.alert(deviceId, atMs)
  // After 30 s both first ones, after five minutes both next ones, the last one, and the one of the other organization.
  expect(backtest.result()).toMatchObject({ alerts: 6, messages: 4 })
})
