// Facts end to end: a real agent watches files that the service assigned, through restarts, lost connections and changes.
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assignFacts, factKey, factsOf } from '@muster/areas/control/facts/index.ts'
import { asSystem } from '@muster/db/database.ts'
import type { Fact, FactValue } from '@muster/wire/facts/facts.ts'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { type Agent, Fleet } from './fleet.ts'

describe('facts that a real agent watches', () => {
  let fleet: Fleet
  let pool: pg.Pool
  let agent: Agent
  let orgId: string
  let key: string
  let deviceId: string
  let etc: string

  beforeAll(async () => {
    fleet = await Fleet.start()
    pool = new pg.Pool({ connectionString: fleet.stack.urls.system, max: 2 })
    const tenant = await fleet.tenant()
    key = tenant.key
    orgId = tenant.org.id
    agent = await fleet.agent('agent-facts', key)
    deviceId = (await fleet.device(orgId, ({ status }) => status === 'online')).id
    etc = join(await fleet.folder(), 'etc')
    await mkdir(etc)
  })
  afterAll(async () => {
    await pool?.end()
    await fleet?.stop()
  })

  const setting = (file: string, name: string): Fact => ({ type: 'file', path: join(etc, file), setting: name })
  const assign = (...facts: Fact[]) => asSystem(pool, (db) => assignFacts(db, [{ deviceId, facts }]))
  const stored = async (fact: Fact): Promise<FactValue | null | undefined> =>
    (await asSystem(pool, (db) => factsOf(db, [deviceId], [factKey(fact)])))[0]?.value
  const becomes = (fact: Fact, ...settings: string[]) =>
    eventually(async () => {
      const value = await stored(fact)
      return value?.type === 'file' && JSON.stringify(value.settings) === JSON.stringify(settings) && value
    })
  const write = (file: string, content: string) => writeFile(join(etc, file), content)

  it('are stored after their assignment, and within seconds of an edit', async () => {
    const login = setting('sshd_config', 'PermitRootLogin')
    await write('sshd_config', 'PermitRootLogin no\n')
    await assign(login, { type: 'file', path: '/dev/zero', sha256: true })
    expect(await becomes(login, 'no')).toMatchObject({ kind: 'file', mode: '0644' })
    const editedAt = performance.now()
    await write('sshd_config', 'PermitRootLogin yes\n')
    await becomes(login, 'yes')
    expect(performance.now() - editedAt).toBeLessThan(5_000)
    const [zero] = await asSystem(pool, (db) =>
      factsOf(db, [deviceId], [factKey({ type: 'file', path: '/dev/zero', sha256: true })]),
    )
    expect(zero).toMatchObject({ value: null, error: expect.stringMatching(/^DENIED: /) })
  })

  it('are stored after the agent was killed, with an edit from that time', async () => {
    const login = setting('sshd_config', 'PermitRootLogin')
    await agent.process.stop(1)
    await write('sshd_config', 'PermitRootLogin prohibit-password\n')
    agent = await fleet.agent('agent-facts-again', key, agent.dataDir)
    await becomes(login, 'prohibit-password')
  })

  it('are those of the last assignment, also when that changed while the agent was down', async () => {
    const [login, banner] = [setting('sshd_config', 'PermitRootLogin'), setting('sshd_config', 'Banner')]
    await agent.process.stop(1)
    await assign(banner)
    await write('sshd_config', 'PermitRootLogin no\nBanner none\n')
    agent = await fleet.agent('agent-facts-third', key, agent.dataDir)
    await becomes(banner, 'none')
    expect(await stored(login)).toBeUndefined()
  })

  it('are stored once the service is back, as the machine is by then', async () => {
    const banner = setting('sshd_config', 'Banner')
    const [ingest] = fleet.stack.ingest
    ingest?.kill('SIGKILL')
    await write('sshd_config', 'Banner one\n')
    await write('sshd_config', 'Banner two\n')
    await becomes(banner, 'two')
    await rm(join(etc, 'sshd_config'))
    await eventually(async () => {
      const value = await stored(banner)
      return value?.type === 'file' && value.kind === 'absent'
    })
  })

  it('show within seconds that a policy is violated by an edit, and restored by another one', async () => {
    const rule = { key: 'forwarding', type: 'file', path: join(etc, 'sysctl.conf') }
    await write('sysctl.conf', 'net.ipv4.ip_forward = 0\n')
    const policy = await fleet.must('POST', '/policies', {
      ...{ orgId, name: 'No forwarding', assignments: [{ level: 'device', id: deviceId }] },
      rules: [{ ...rule, setting: { name: 'net.ipv4.ip_forward', value: '0' } }],
    })
    await fleet.must('POST', `/policies/${policy.id}/activate`, {})
    const judged = (status: string) =>
      eventually(async () => {
        const { data } = await fleet.must('GET', `/policies/${policy.id}/compliance`)
        return data[0]?.status === status && data[0]
      })
    await judged('compliant')
    const editedAt = performance.now()
    await write('sysctl.conf', 'net.ipv4.ip_forward = 1\n')
    const { failed } = await judged('non_compliant')
    expect(performance.now() - editedAt).toBeLessThan(10_000)
    expect(failed).toMatchObject([
      { key: 'forwarding', type: 'file', actual: 'net.ipv4.ip_forward is 1', expected: expect.stringContaining(' 0') },
    ])
    await write('sysctl.conf', 'net.ipv4.ip_forward = 0\n')
    await judged('compliant')
  })
})
