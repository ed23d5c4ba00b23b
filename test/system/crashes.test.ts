// Processes die during their work. What was acknowledged is stored once; a command takes effect once.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ManagedProcess } from '@muster/stack/processes.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { Fleet } from './fleet.ts'
import { Recorder } from './recorder.ts'

const agents = 40

describe('after a kill -9', () => {
  let fleet: Fleet
  let recorder: Recorder
  beforeAll(async () => {
    fleet = await Fleet.start({ durable: true })
    const { org, partner } = await fleet.tenant()
    recorder = await Recorder.start(fleet.stack, agents, { orgId: org.id, partnerId: partner.id })
    await eventually(async () => recorder.live === agents)
    recorder.beat(5)
  })
  afterAll(async () => {
    recorder?.end()
    await fleet?.stop()
  })

  const killed = async (process: ManagedProcess | undefined) => {
    if (process === undefined) throw new Error('the stack has no such process')
    const before = process.pid
    process.kill('SIGKILL')
    await eventually(async () => process.pid !== before)
    await process.ready
  }
  /** Everything sent is acknowledged, everything acknowledged is stored, nothing twice. */
  const settled = async () => {
    recorder.rest()
    await eventually(async () => recorder.live === agents && recorder.waiting === 0, 60_000)
    const account = await eventually(async () => {
      const found = await recorder.account()
      return found.stored >= recorder.acknowledged && found
    }, 60_000)
    expect(account).toMatchObject({ lost: [], twice: [] })
    expect(recorder.acknowledged).toBeGreaterThan(0)
    recorder.beat(5)
  }
  const acknowledgedMore = (by: number) => {
    const from = recorder.acknowledged
    return eventually(async () => recorder.acknowledged >= from + by, 60_000)
  }

  it('F1: of ingest, repeatedly, loses and duplicates no acknowledged heartbeat', async () => {
    for (let round = 0; round < 5; round++) {
      await acknowledgedMore(agents * 2)
      await killed(fleet.stack.ingest[0])
      await eventually(async () => recorder.live === agents, 60_000)
    }
    await settled()
  })

  it('F2: of a worker, repeatedly, loses and duplicates no acknowledged heartbeat', async () => {
    for (let round = 0; round < 5; round++) {
      await acknowledgedMore(agents * 2)
      await killed(fleet.stack.workers[0])
    }
    await settled()
  })

  it('F3: of Redis, which writes to disk synchronously, loses no acknowledged heartbeat and no connection', async () => {
    await acknowledgedMore(agents * 2)
    const closes = recorder.agents.reduce((sum, agent) => sum + agent.closes, 0)
    const pid = Number(readFileSync(join(fleet.stack.stores.folder.path, 'redis', 'redis.pid'), 'utf8'))
    process.kill(pid, 'SIGKILL')
    await acknowledgedMore(agents * 2)
    await settled()
    expect(recorder.agents.reduce((sum, agent) => sum + agent.closes, 0)).toBe(closes)
  })

  it('of an agent during a script does not run the script again and reports it as interrupted', async () => {
    const { org, key } = await fleet.tenant()
    const agent = await fleet.agent('agent-killed', key)
    const device = await fleet.device(org.id, (one) => one.status === 'online')
    const mark = join(await fleet.folder(), 'mark')
    const payload = { language: 'bash', script: `echo run >> ${mark}; sleep 600` }
    const command = await fleet.must('POST', `/devices/${device.id}/commands`, { type: 'run_script', payload })
    const marks = () => {
      try {
        return readFileSync(mark, 'utf8')
      } catch {
        return ''
      }
    }
    await eventually(async () => marks() === 'run\n')
    await killed(agent.process)
    const ended = await eventually(async () => {
      const now = await fleet.must('GET', `/devices/${device.id}/commands/${command.id}`)
      return ['failed', 'completed', 'timed_out'].includes(now.status) && now
    }, 60_000)
    expect(ended).toMatchObject({ status: 'failed', error: expect.stringContaining('interrupted') })
    expect(marks()).toBe('run\n')
  })
})
