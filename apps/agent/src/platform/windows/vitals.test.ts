import { expect, test, vi } from 'vitest'
import { busyProcessors } from './vitals.ts'

vi.mock('./native/koffi.ts', () => import('./testing/recorded-windows.ts'))

test('the load is the mean number of busy processors since the previous reading', async () => {
  const readings = [
    { busy: 100, total: 1_000 },
    { busy: 400, total: 1_400 },
    { busy: 400, total: 1_400 },
    { busy: 400, total: 1_800 },
  ]
  const load = busyProcessors(() => readings.shift(), 4)
  expect([await load(), await load(), await load(), await load()]).toEqual([3, 3, 0, undefined])
})
