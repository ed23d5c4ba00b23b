// Processes that are replaced, hang or run out of memory. A planned restart is seen by nobody; anything else is over soon.
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
import { eventually, Fleet } from './fleet.ts'
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

  it('F10: ingest is restarted process by process, no device is shown offline and no heartbeat is lost', async () => {
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
  /** Makes a fault while a request is being answered. @returns what the log says of it, among it that request */
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

  it('F15: a process whose event loop stands still is ended and started again; its last words name the request', async () => {
    await fault('hang', 'SIGKILL', standsStill)
  })

  it('F15: a rejection that nobody handles ends the process, with the reason and the request in its log', async () => {
    await fault('reject', 'exit code 70', 'a fault that nobody handles')
  })

  it('F15: a process that runs out of memory is started again; its last words name the request', async () => {
    await fault('allocate', 'SIG', standsStill)
  })
})

describe('F9: migrations', () => {
  const cli = fileURLToPath(new URL('../../packages/db/src/migrate-cli.ts', import.meta.url))
  /** @param after ends it like a crash when it has applied so many */
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

  it('that are killed again and again, and run twice at once, are each applied once; a changed one stops the start', async () => {
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
