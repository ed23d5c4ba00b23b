// F10 for admin: the process stops gracefully on the first signal, and at once on the second.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { Fleet } from './fleet.ts'
import { Recorder } from './recorder.ts'

const openAtOnce = 20

describe('F10: an admin process that is stopped', () => {
  const notes: string[] = []
  let fleet: Fleet
  let recorder: Recorder
  beforeAll(async () => {
    fleet = await Fleet.start({ onNote: (line) => notes.push(line) })
    const { org, partner } = await fleet.tenant()
    recorder = await Recorder.start(fleet.stack, openAtOnce, { orgId: org.id, partnerId: partner.id })
    await eventually(async () => recorder.live === openAtOnce, 60_000)
  })
  afterAll(async () => {
    recorder?.end()
    await fleet?.stop()
  })

  const readiness = async () => {
    const [metrics = ''] = fleet.stack.urls.metrics
    const answer = await fetch(metrics.replace('/metrics', '/health/ready')).catch(() => undefined)
    return answer?.status ?? 'gone'
  }
  /** Requests that wait for a reply that no agent sends; when this resolves, they are in the database and in the process. */
  const open = async (waitMs: number) => {
    const payload = { language: 'sh', script: 'true' }
    const before = await sent()
    const requests = recorder.agents.map(({ deviceId }) =>
      fleet.rest('POST', `/devices/${deviceId}/commands`, { type: 'run_script', payload, waitMs }).then(
        ({ status }) => status,
        () => 'cut off',
      ),
    )
    await eventually(async () => (await sent()) === before + openAtOnce)
    return requests
  }
  const sent = async () => {
    const lists = await Promise.all(
      recorder.agents.map(({ deviceId }) => fleet.must('GET', `/devices/${deviceId}/commands`)),
    )
    return lists.reduce((sum, { data }) => sum + data.length, 0)
  }
  const ended = (how: string) =>
    eventually(async () => notes.some((note) => note.startsWith(`admin died (${how})`)), 30_000)

  it('reports itself unready first, then answers every open request, also with open event streams', async () => {
    const told: string[] = []
    const watching = fleet.client().devices.live.events.subscribe({}, { onData: ({ type }) => told.push(type) })
    await eventually(async () => told.includes('resync'))
    const requests = await open(5_000)
    let answered = 0
    for (const request of requests) void request.then(() => answered++)
    expect(await readiness()).toBe(200)
    fleet.stack.admin?.kill('SIGTERM')
    expect(await eventually(async () => (await readiness()) === 503 && { answered })).toEqual({ answered: 0 })
    expect(await Promise.all(requests)).toEqual(requests.map(() => 201))
    // Exit code 1 is what it would use after its ten seconds.
    await ended('exit code 0')
    watching.unsubscribe()
    await fleet.stack.admin?.ready
  })

  it('ends at once on a second signal', async () => {
    const requests = await open(30_000)
    fleet.stack.admin?.kill('SIGTERM')
    await eventually(async () => (await readiness()) === 503)
    fleet.stack.admin?.kill('SIGTERM')
    await ended('exit code 1')
    expect(await Promise.all(requests)).toEqual(requests.map(() => 'cut off'))
    expect(fleet.log('admin')).not.toContain('did not stop within')
  })
})
