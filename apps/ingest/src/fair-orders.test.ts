import type { DeliveryOrder } from '@muster/backplane/routing.ts'
import { expect, test } from 'vitest'
import { FairOrders } from './fair-orders.ts'

const order = (deviceId: string): DeliveryOrder => ({ kind: 'frame', deviceId, bytes: new Uint8Array(0) })
const many = (flow: string, count: number) => Array.from({ length: count }, (_, index) => order(`${flow}${index}`))

/** All orders in the sequence in which they run, `count` at a time. */
function carriedOut(waiting: FairOrders, count: number, share: number) {
  const obeyed: string[] = []
  const done: string[] = []
  while (waiting.size > 0)
    done.push(...waiting.take(count, share, ({ deviceId }) => obeyed.push(deviceId)).map((id) => id.toString()))
  return { obeyed, done }
}

test('runs one order before ten thousand of another flow, and keeps the order within each flow', () => {
  const waiting = new FairOrders()
  for (let entry = 0; entry < 10; entry++) waiting.add('a', Buffer.from(`a-${entry}`), many(`a${entry}:`, 1_000))
  waiting.add('b', Buffer.from('b-0'), [order('b')])
  const { obeyed, done } = carriedOut(waiting, 500, 50)
  expect(obeyed.indexOf('b')).toBe(50)
  const ofA = obeyed.filter((id) => id !== 'b')
  expect(ofA).toEqual(
    Array.from({ length: 10 }, (_, entry) => many(`a${entry}:`, 1_000).map((each) => each.deviceId)).flat(),
  )
  expect(done).toEqual(['b-0', ...Array.from({ length: 10 }, (_, entry) => `a-${entry}`)])
})

test('counts waiting orders and their bytes, and holds the bytes until the last order of an entry ran', () => {
  const waiting = new FairOrders()
  waiting.add('a', Buffer.from('1'), many('a', 3), 3_000)
  waiting.add('a', Buffer.from('2'), [], 500)
  waiting.add('b', Buffer.from('3'), many('b', 1), 1_000)
  const held: [number, number][] = []
  for (; waiting.size > 0; waiting.take(1, 1, () => {})) held.push([waiting.size, waiting.bytes])
  expect(held).toEqual([
    [4, 4_500],
    [3, 4_500],
    [2, 3_500],
    [1, 3_500],
  ])
  expect(waiting.bytes).toBe(0)
})

test('makes a flow that used its share wait for the others, over several turns', () => {
  const waiting = new FairOrders()
  waiting.add('a', Buffer.from('1'), many('a', 5))
  waiting.add('b', Buffer.from('2'), many('b', 3))
  waiting.add('c', Buffer.from('3'), [])
  expect(carriedOut(waiting, 2, 2)).toEqual({
    obeyed: ['a0', 'a1', 'b0', 'b1', 'a2', 'a3', 'b2', 'a4'],
    done: ['3', '2', '1'],
  })
})
