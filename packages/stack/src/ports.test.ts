import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { onFreePorts } from './ports.ts'

async function listenOn(port: number) {
  const server = createServer().listen({ port, host: '127.0.0.1' })
  await once(server, 'listening')
  return server
}

test('chooses other ports when another program takes one before it is used', async () => {
  const rivals = new Map<number, Awaited<ReturnType<typeof listenOn>>>()
  const tried: number[] = []
  const server = await onFreePorts(2, async ([port = 0]) => {
    tried.push(port)
    if (rivals.size < 2) rivals.set(port, await listenOn(port))
    return listenOn(port)
  })
  expect(tried).toHaveLength(3)
  for (const one of [server, ...rivals.values()]) one.close()
})

test('fails on any other error, and when ports are taken every time', async () => {
  const times = { broken: 0, taken: 0 }
  const broken = onFreePorts(1, async () => {
    times.broken++
    throw new Error('broken')
  })
  await expect(broken).rejects.toThrow('broken')
  const taken = onFreePorts(1, async () => {
    times.taken++
    throw new Error('listen EADDRINUSE: address already in use 127.0.0.1:4711')
  })
  await expect(taken).rejects.toThrow('EADDRINUSE')
  expect(times).toEqual({ broken: 1, taken: 4 })
})
