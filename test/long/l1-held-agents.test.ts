// Sixty thousand agents for half an hour: no agent is disconnected, nothing is lost.
import { expect, it } from 'vitest'
import { bench, broken, scale } from './scale.ts'

const { agents, minutes } = scale(60_000, 30)

it(`holds ${agents} agents for ${minutes} minutes`, async () => {
  const bars = await bench(
    'density',
    '--agents',
    String(agents),
    '--seconds',
    String(Math.round(minutes * 60)),
    '--rounds',
    '1',
  )
  expect(broken(bars)).toEqual([])
})
