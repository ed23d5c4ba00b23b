// Processes that are replaced, hang or exhaust their memory. A planned restart is invisible; other faults recover soon.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { liveChannel } from '@muster/backplane/keys.ts'
import { decodeLive, type LiveEvent } from '@muster/backplane/live.ts'
import { connectSubscriber, type Subscriber } from '@muster/backplane/redis.ts'
import { startStores } from '@muster/stack/stores.ts'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { Fleet } from './fleet.ts'
import { Recorder } from './recorder.ts'

const agents = 60
const preload = fileURLToPath(new URL('fault-on-signal.mjs', import.meta.url))

describe('a running system', () => {
  const notes: string[] = []
  let fleet: Fleet
  let recorder: Recorder
  let folder = ''
  let faultFile: string
  const events: LiveEvent[] = []
  let watcher: Subscriber
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'muster-fault-'))
    faultFile = join(folder, 'fault')
    const faulty = { NODE_OPTIONS: `--import=${preload} --max-old-space-size=300`, FAULT_FILE: faultFile }
    fleet = await Fleet.start({
      ingest: 2,
      settings: { admin: faulty },
      liveness: { everyMs: 500, failuresMax: 8 },
      onNote: (line) => notes.push(line),
    })
    const { org, partner } = await fleet.tenant()
    recorder = await Recorder.start(fleet.stack, agents, { orgId: org.id, partnerId: partner.id })
    await eventually(async () => recorder.live === agents, 60_000)
    await eventually(async () => (await recorder.online()) === agents, 60_000)
    watcher = connectSubscriber(fleet.stack.urls.redis, 'watcher')
    watcher.on('messageBuffer', (_channel: Buffer, message: Buffer) => events.push(...decodeLive(message)))
    await watcher.subscribe(liveChannel(partner.id))
  })
  afterAll(async () => {
    watcher?.disconnect()
    recorder?.end()
    await fleet?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('F10: shows no device offline and loses no heartbeat during a rolling restart of ingest', async () => {
    recorder.beat(2)
    for (const ingest of fleet.stack.ingest) {
      const before = ingest.pid
      ingest.kill('SIGTERM')
      await eventually(async () => ingest.pid !== before, 60_000)
      await ingest.ready
      await eventually(async () => recorder.live === agents, 60_000)
    }
    expect(await recorder.settled()).toEqual({ lost: [], twice: [] })
    expect(notes.filter((note) => /^ingest.* died \(exit code 0\)/.test(note))).toHaveLength(2)
    await eventually(async () => (await recorder.online()) === agents, 60_000)
    expect(events.filter(({ type, status }) => type === 'device.status' && status === 'offline')).toEqual([])
  })

  const isBack = async (how: string) => {
    await eventually(async () => notes.some((note) => note.startsWith(`admin died (${how}`)), 60_000)
    await eventually(
      async () => (await fleet.rest('GET', '/devices?limit=1').catch(() => ({ status: 0 }))).status === 200,
      60_000,
    )
  }
  let faults = 0
  /** Causes a fault while a request is open. @returns the log about it, with that request */
  const fault = async (what: 'hang' | 'reject' | 'allocate', how: string, said: string) => {
    notes.length = 0
    const path = `/devices/${recorder.agents[faults++]?.deviceId}/commands`
    const order = { type: 'run_script', payload: { language: 'sh', script: 'true' }, waitMs: 60_000 }
    const cut = fleet.rest('POST', path, order).catch(() => 'cut off')
    await eventually(async () => (await fleet.must('GET', path)).data.length > 0)
    writeFileSync(faultFile, what)
    fleet.stack.admin?.kill('SIGUSR2')
    await isBack(how)
    expect(await cut).toBe('cut off')
    const line = fleet
      .log('admin')
      .split('\n')
      .findLast((each) => each.includes(said))
    expect(JSON.parse(line ?? '{}').requests).toContainEqual({
      requestId: expect.any(String),
      method: 'POST',
      url: `/api/v1${path}`,
    })
  }
  const standsStill = 'the event loop stands still'

  it('F15: restarts a process whose event loop is blocked, and logs the request that blocked it', async () => {
    await fault('hang', 'SIGKILL', standsStill)
  })

  it('F15: ends a process on an unhandled rejection, and logs the reason and the request', async () => {
    await fault('reject', 'exit code 70', 'an unhandled fault')
  })

  it('F15: restarts a process that ran out of memory, and logs the request', async () => {
    await fault('allocate', 'SIG', standsStill)
  })
})

describe('F9: migrations', () => {
  const cli = fileURLToPath(new URL('../../packages/db/src/migrate-cli.ts', import.meta.url))
  /** @param after kills it when it has applied this many */
  const migrate = (url: string, after = Number.POSITIVE_INFINITY) =>
    new Promise<{ code: number | null; said: string }>((resolve) => {
      const child = spawn(process.execPath, [cli], { env: { PATH: process.env.PATH, DATABASE_URL: url } })
      let said = ''
      const hear = (bytes: Buffer) => {
        said += String(bytes)
        if (said.split(/^applied /m).length > after) child.kill('SIGKILL')
      }
      child.stdout.on('data', hear)
      child.stderr.on('data', hear)
      child.on('close', (code) => resolve({ code, said }))
    })

  it('are applied once each despite kills and concurrent runs, and a changed one stops the start', async () => {
    const stores = await startStores({ schema: 'none' })
    const { owner } = stores.urls
    const client = new pg.Client({ connectionString: owner })
    await client.connect()
    try {
      for (const after of [1, 2, 5]) expect((await migrate(owner, after)).code).toBeNull()
      const both = await Promise.all([migrate(owner), migrate(owner)])
      expect(both.map(({ code }) => code)).toEqual([0, 0])
      const { rows } = await client.query('SELECT name FROM migrations ORDER BY applied_at, name')
      expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length)
      expect(await migrate(owner)).toEqual({ code: 0, said: 'nothing to apply\n' })
      await client.query(`UPDATE migrations SET checksum = 'other' WHERE name = '0003-fleet.sql'`)
      expect(await migrate(owner)).toMatchObject({
        code: 1,
        said: expect.stringContaining('The applied migration 0003-fleet.sql was changed'),
      })
    } finally {
      await client.end()
      await stores.stop()
    }
  })
})
