// Commands end to end: streamed output, custom fields written by scripts, and bulk commands that run once per device.
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OutputEvent } from '@muster/areas/control/commands/output/output.contract.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { Fleet } from './fleet.ts'

const agentsAtOnce = 4

describe('commands', () => {
  let fleet: Fleet
  let orgId: string
  let folder: string
  const ids: string[] = []
  const agents: Awaited<ReturnType<Fleet['agent']>>[] = []
  let enrollmentKey: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'muster-commands-'))
    fleet = await Fleet.start()
    const { org, key } = await fleet.tenant()
    orgId = org.id
    for (let index = 0; index < agentsAtOnce; index++) agents.push(await fleet.agent(`agent-bulk-${index}`, key))
    enrollmentKey = key
    await eventually(async () => {
      const { devices } = await fleet.must('GET', `/devices?orgIds=${orgId}&status=online&limit=100`)
      if (devices.length < agentsAtOnce) return false
      ids.splice(0, ids.length, ...devices.map((device: { id: string }) => device.id))
      return true
    })
  })
  afterAll(async () => {
    await fleet?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('streams the output of a script while it runs', async () => {
    const [id = ''] = ids
    const go = join(folder, 'go')
    const script = `echo one; until [ -e ${go} ]; do sleep 0.1; done; echo two; exit 4`
    const { id: commandId } = await fleet.must('POST', `/devices/${id}/commands`, {
      type: 'run_script',
      payload: { script },
    })
    const told: OutputEvent[] = []
    const following = fleet
      .client()
      .devices.output.follow.subscribe({ id, commandId }, { onData: (event) => told.push(event) })
    await eventually(async () => told.some((event) => event.type === 'output' && event.output.includes('one')))
    expect(told.some((event) => event.type === 'ended')).toBe(false)
    await fleet.must('POST', `/devices/${id}/commands`, { type: 'run_script', payload: { script: `touch ${go}` } })
    await eventually(async () => told.some((event) => event.type === 'ended'))
    following.unsubscribe()
    const output = told.map((event) => (event.type === 'output' ? event.output : '')).join('')
    expect(output).toBe('one\ntwo\n')
    expect(told.find((event) => event.type === 'ended')).toMatchObject({ status: 'failed', exitCode: 4 })
  })

  it('lets a script set the custom fields that it may write, and finds devices by them', async () => {
    const [id = ''] = ids
    const field = { orgId, type: 'number', label: 'Units' }
    await fleet.must('POST', '/custom-fields', { ...field, key: 'rack_units', scriptWritable: true })
    await fleet.must('POST', '/custom-fields', { ...field, key: 'fixed' })
    const script =
      'echo "::muster-field rack_units=4"; echo "::muster-field fixed=5"; echo "::muster-field rack_units=six" >&2'
    const run = { type: 'run_script', payload: { script: `${script}; echo "::muster-field absent=1"` }, waitMs: 20_000 }
    const { result } = await fleet.must('POST', `/devices/${id}/commands`, run)
    expect(result.customFields).toEqual({
      set: { rack_units: 4 },
      refused: [
        { field: 'fixed', reason: 'scripts may not write it' },
        { field: 'absent', reason: 'there is no such field' },
      ],
    })
    const found = async (key: string) => {
      const filter = JSON.stringify({ field: `custom.${key}`, op: 'isSet' })
      const { devices } = await fleet.must('GET', `/devices?orgIds=${orgId}&filter=${encodeURIComponent(filter)}`)
      return devices.map((device: { id: string }) => device.id)
    }
    await eventually(async () => (await found('rack_units')).length > 0)
    expect(await found('rack_units')).toEqual([id])
    expect(await found('fixed')).toEqual([])
  })

  it('runs a repeated bulk command once per device', async () => {
    const log = join(folder, 'executed')
    const request = {
      orgIds: [orgId],
      type: 'run_script',
      payload: { script: `echo $MUSTER_COMMAND_ID >> ${log}` },
      idempotencyKey: randomUUID(),
    }
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => fleet.must('POST', '/devices/bulk/commands', request)),
    )
    const [first] = answers
    expect(first.commands).toHaveLength(agentsAtOnce)
    expect([first.skipped, first.failed]).toEqual([[], []])
    for (const answer of answers) expect(answer.batchId).toBe(first.batchId)
    const progress = await eventually(async () => {
      const now = await fleet.must('GET', `/devices/bulk/commands/${first.batchId}`)
      return now.ended === now.total && now
    })
    expect(progress).toMatchObject({ total: agentsAtOnce, byStatus: { completed: agentsAtOnce } })
    const executed = (await readFile(log, 'utf8')).trim().split('\n').sort()
    expect(executed).toEqual(first.commands.map((command: { id: string }) => command.id).sort())
  })

  it('holds back every command during an emergency stop', async () => {
    const [agent] = agents
    if (agent === undefined) throw new Error('no agent')
    await agent.process.stop()
    const { devices } = await eventually(async () => {
      const found = await fleet.must('GET', `/devices?orgIds=${orgId}&status=offline`)
      return found.devices.length === 1 && found
    })
    const id: string = devices[0].id
    const log = join(folder, 'stopped')
    const run = { type: 'run_script', payload: { script: `date +%s%3N > ${log}` } }
    const waiting = await fleet.must('POST', `/devices/${id}/commands`, run)
    const reason = 'The keys were stolen'
    await fleet.must('POST', '/commands/stop', { reason, confirm: 'installation' })
    const again = await fleet.agent('agent-stopped', enrollmentKey, agent.dataDir)
    await fleet.device(orgId, (device) => device.id === id && device.status === 'online')
    const refused = { status: 409, body: { code: 'COMMANDS_STOPPED', message: expect.stringContaining(reason) } }
    expect(await fleet.rest('POST', `/devices/${id}/commands`, run)).toMatchObject(refused)
    expect(await fleet.rest('GET', `/system-tools/devices/${id}/processes`)).toMatchObject(refused)
    expect(await fleet.must('GET', `/devices/${id}/commands/${waiting.id}`)).toMatchObject({ status: 'pending' })
    const liftedAt = Date.now()
    expect(await fleet.must('POST', '/commands/allow', {})).toEqual({ stopped: false, stops: [] })
    await eventually(async () => {
      const { status } = await fleet.must('GET', `/devices/${id}/commands/${waiting.id}`)
      return status === 'completed'
    })
    expect(Number(await readFile(log, 'utf8'))).toBeGreaterThanOrEqual(liftedAt)
    await eventually(async () => (await fleet.rest('GET', `/system-tools/devices/${id}/processes`)).status === 200)
    await again.process.stop()
  })
})
