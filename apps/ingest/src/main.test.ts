import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { freePort, type OwnRedis, startOwnRedis } from '@muster/backplane/testing/redis-server.ts'
import { closeCodes } from '@muster/wire/close-codes.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Client } from './testing/client.ts'
import { createFleet, type Fleet } from './testing/fleet.ts'

const main = fileURLToPath(new URL('main.ts', import.meta.url))
const Ready = z.object({ ready: z.literal(true), port: z.number(), metricsPort: z.number(), nodeId: z.string() })
const children = new Set<ChildProcess>()
let redis: OwnRedis
let fleet: Fleet

beforeAll(async () => {
  redis = await startOwnRedis()
  fleet = createFleet()
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await redis?.stop()
  fleet?.remove()
})

async function startProcess(port: number): Promise<z.infer<typeof Ready> & { child: ChildProcess }> {
  const env = {
    INGEST_PORT: String(port),
    METRICS_PORT: '0',
    REDIS_URL: redis.url,
    DEVICE_KEYS_FILE: fleet.keysFile,
    LOG_LEVEL: 'silent',
  }
  const child = fork(main, { env, execArgv: ['--disable-warning=ExperimentalWarning'] })
  children.add(child)
  const [message]: unknown[] = await once(child, 'message')
  return { ...Ready.parse(message), child }
}

async function exitOf(child: ChildProcess): Promise<unknown> {
  const exit = child.exitCode ?? (await once(child, 'exit'))[0]
  children.delete(child)
  return exit
}

describe('processes', () => {
  test('shares one port among several processes, and one stops gracefully while the other keeps serving', async () => {
    const port = await freePort()
    const processes = [await startProcess(port), await startProcess(port)]
    const metrics = (metricsPort: number) =>
      fetch(`http://127.0.0.1:${metricsPort}/metrics`).then((answer) => answer.text())
    const live = async (metricsPort: number) =>
      Number(/muster_ingest_connections\{[^}]*\} (\d+)/.exec(await metrics(metricsPort))?.[1] ?? 0)
    const clients: Client[] = []
    const counts = () => Promise.all(processes.map((one) => live(one.metricsPort)))
    while ((await counts()).some((count) => count === 0)) clients.push(await Client.welcomed(port, fleet.enroll()))
    const [leaving, staying] = processes
    expect((await fetch(`http://127.0.0.1:${leaving?.metricsPort}/health/ready`)).status).toBe(200)
    leaving?.child.kill('SIGTERM')
    expect(leaving && (await exitOf(leaving.child))).toBe(0)
    const sentAway = clients.filter((client) => client.received.some((message) => message.name === 'retry'))
    for (const client of sentAway) expect((await client.closed).code).toBe(closeCodes.goingAway.code)
    expect(sentAway.length).toBe(clients.length - (staying ? await live(staying.metricsPort) : 0))
    const again = await Client.welcomed(port, fleet.enroll())
    again.heartbeat(1)
    expect((await again.next('ack')).sequence).toBe(1)
    staying?.child.kill('SIGTERM')
    expect(staying && (await exitOf(staying.child))).toBe(0)
  })

  test('exits and names the variable of a wrong setting', async () => {
    const env = { REDIS_URL: 'nonsense', DEVICE_KEYS_FILE: fleet.keysFile, STREAM_SHARDS: '-1' }
    const child = fork(main, { env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    let text = ''
    child.stderr?.on('data', (chunk) => {
      text += String(chunk)
    })
    expect((await once(child, 'exit'))[0]).not.toBe(0)
    expect(text).toContain('REDIS_URL is wrong')
    expect(text).toContain('STREAM_SHARDS is wrong')
  })
})
