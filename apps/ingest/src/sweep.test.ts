import { describe, expect, test } from 'vitest'
import { createConnection } from './connection.ts'
import { limits } from './limits.ts'
import { Registry } from './registry.ts'
import { followInterval, overdueFor } from './sweep.ts'

const at = (tick: number) => ({ tick, limits, heartbeatMs: 60_000, registry: new Registry(limits) })
const now = 1_700_000_000_000

function live(lastFrameTick: number) {
  const connection = createConnection(1, 0)
  connection.state = 'live'
  connection.lastFrameTick = lastFrameTick
  connection.certificateExpiresAtSeconds = now / 1000 + 1
  return connection
}

describe('a connection is overdue', () => {
  test('when its hello does not come in ten seconds', () => {
    const connection = createConnection(1, 100)
    expect(overdueFor(connection, at(110), now)).toBeUndefined()
    expect(overdueFor(connection, at(111), now)).toBe('helloTimeout')
  })

  test('when no frame came for two heartbeats plus the tolerance', () => {
    expect(overdueFor(live(0), at(135), now)).toBeUndefined()
    expect(overdueFor(live(0), at(136), now)).toBe('idle')
    expect(overdueFor(live(50), at(136), now)).toBeUndefined()
  })

  test('by the interval that its agent was told, from when it was told', () => {
    const connection = live(0)
    followInterval({ tick: 130 }, connection, 120_000)
    expect(overdueFor(connection, at(385), now)).toBeUndefined()
    expect(overdueFor(connection, at(386), now)).toBe('idle')
    followInterval({ tick: 386 }, connection, 10_000)
    expect(overdueFor(connection, at(421), now)).toBeUndefined()
    expect(overdueFor(connection, at(422), now)).toBe('idle')
  })

  test('when its certificate expired by more than the clock tolerance', () => {
    expect(overdueFor(live(0), at(1), now + limits.clockLeewayMs)).toBeUndefined()
    expect(overdueFor(live(0), at(1), now + limits.clockLeewayMs + 1_001)).toBe('certificateExpired')
  })
})
