// Policies end to end: what they set and repair on a machine with a real agent.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { type Agent, Fleet } from './fleet.ts'

/** Without a policy only the first heartbeat comes during the test. */
const settings = { HEARTBEAT_SECONDS: '3600' }

describe('policies on a real machine', () => {
  let fleet: Fleet
  let pool: pg.Pool
  let agent: Agent
  let orgId: string
  let key: string
  let deviceId: string

  beforeAll(async () => {
    fleet = await Fleet.start({ settings: { ingest: settings, worker: settings } })
    pool = new pg.Pool({ connectionString: fleet.stack.urls.system, max: 2 })
    const tenant = await fleet.tenant()
    key = tenant.key
    orgId = tenant.org.id
    agent = await fleet.agent('agent-policies', key)
    deviceId = (await fleet.device(orgId, ({ status }) => status === 'online')).id
  })
  afterAll(async () => {
    await pool?.end()
    await fleet?.stop()
  })

  const activePolicy = async (given: object) => {
    const assignments = [{ level: 'device', id: deviceId }]
    const policy = await fleet.must('POST', '/policies', { orgId, name: 'Acts', assignments, ...given })
    await fleet.must('POST', `/policies/${policy.id}/activate`, {})
    return policy.id
  }
  const heartbeats = async (): Promise<number> => {
    const { rows } = await pool.query('SELECT count(*)::int AS count FROM device_metrics WHERE device_id = $1', [
      deviceId,
    ])
    return rows[0].count
  }
  const beatsAgain = async (times: number) => {
    const before = await heartbeats()
    await eventually(async () => (await heartbeats()) >= before + times)
  }

  it('tell the connected agent how often to send heartbeats, and again after it restarted', async () => {
    await eventually(async () => (await heartbeats()) > 0)
    expect(await heartbeats()).toBe(1)
    const policy = await activePolicy({ settings: { 'agent.heartbeatSeconds': 5 } })
    await beatsAgain(1)
    await agent.process.stop(1)
    agent = await fleet.agent('agent-policies-again', key, agent.dataDir)
    // The first one follows the welcome at once.
    await beatsAgain(2)
    await fleet.must('POST', `/policies/${policy}/deactivate`, {})
    await eventually(async () => fleet.log('agent-policies-again').includes('one heartbeat every 3600 s from now on'))
  })

  it('repair a file that was edited, within seconds', async () => {
    const file = join(await fleet.folder(), 'sysctl.conf')
    await writeFile(file, 'net.ipv4.ip_forward = 0\n')
    const script = await fleet.must('POST', '/scripts', {
      ...{ orgId, name: 'Forward nothing', language: 'sh', content: `echo 'net.ipv4.ip_forward = 0' > ${file}` },
    })
    const policy = await activePolicy({
      mode: 'enforce',
      rules: [
        {
          ...{ key: 'forwarding', type: 'file', path: file, setting: { name: 'net.ipv4.ip_forward', value: '0' } },
          remediation: { kind: 'script', scriptId: script.id },
        },
      ],
    })
    const judged = (status: string) =>
      eventually(async () => {
        const { data } = await fleet.must('GET', `/policies/${policy}/compliance`)
        return data[0]?.status === status
      })
    await judged('compliant')
    await writeFile(file, 'net.ipv4.ip_forward = 1\n')
    await eventually(async () => (await readFile(file, 'utf8')) === 'net.ipv4.ip_forward = 0\n')
    await judged('compliant')
    const { data } = await fleet.must('GET', `/policies/${policy}/transitions`)
    expect(data.map(({ after }: { after: string }) => after).slice(0, 2)).toEqual(['compliant', 'non_compliant'])
    const { rows } = await pool.query(
      `SELECT status, exit_code FROM device_commands WHERE device_id = $1 AND origin ->> 'kind' = 'policy'`,
      [deviceId],
    )
    expect(rows).toEqual([{ status: 'completed', exit_code: 0 }])
  })
})
