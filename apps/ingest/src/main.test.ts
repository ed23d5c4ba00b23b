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

describe('ingest processes', () => {
  test('share one port, and one keeps serving while the other stops gracefully', async () => {
    const port = await freePort()
    const processes = [await startProcess(port), await startProcess(port)]
    const metrics = (metricsPort: number) =>
      fetch(`http://127.0.0.1:${metricsPort}/metrics`).then((answer) => answer.text())
    const live = async (metricsPort: number) =>
      Number(/muster_ingest_connections\{[^}]*\} (\d+)/.exec(await metrics(metricsPort))?.[1] ?? 0)
    const clients: Client[] = []
    const counts = () => Promise.all(processes.map((one) => live(one.metricsPort)))
    while ((await counts()).some((count) => count === 0)) clients.push(await Client.welcomed(port, fleet.enroll()))
    const [stopping, serving] = processes
    expect((await fetch(`http://127.0.0.1:${stopping?.metricsPort}/health/ready`)).status).toBe(200)
    stopping?.child.kill('SIGTERM')
    expect(stopping && (await exitOf(stopping.child))).toBe(0)
    const disconnected = clients.filter((client) => client.received.some((message) => message.name === 'retry'))
    for (const client of disconnected) expect((await client.closed).code).toBe(closeCodes.goingAway.code)
    expect(disconnected.length).toBe(clients.length - (serving ? await live(serving.metricsPort) : 0))
    const reconnected = await Client.welcomed(port, fleet.enroll())
    reconnected.heartbeat(1)
    expect((await reconnected.next('ack')).sequence).toBe(1)
    serving?.child.kill('SIGTERM')
    expect(serving && (await exitOf(serving.child))).toBe(0)
  })

  test('exit with an error that names the variables of wrong settings', async () => {
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
