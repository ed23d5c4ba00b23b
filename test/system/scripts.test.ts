// A script of the system library from its import to the alert that it opens, on a real agent.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Fleet } from './fleet.ts'

describe('a system script that is imported', () => {
  let fleet: Fleet
  let orgId: string
  let deviceId: string
  let script: { id: string; sha256: string }
  const run = async (parameters: object) => {
    const body = { deviceIds: [deviceId], parameters, waitMs: 30_000 }
    const { executions } = await fleet.must('POST', `/scripts/${script.id}/execute`, body)
    return executions[0]
  }
  const alerts = async () => (await fleet.must('GET', `/alerts?deviceId=${deviceId}&source=script`)).data

  beforeAll(async () => {
    fleet = await Fleet.start()
    const { org, key } = await fleet.tenant()
    orgId = org.id
    await fleet.agent('agent-scripts', key)
    deviceId = (await fleet.device(orgId, ({ status }) => status === 'online')).id
    const { data } = await fleet.must('GET', '/scripts/system-library?search=disk%20usage&osType=linux')
    script = await fleet.must('POST', `/scripts/import/${data[0].id}`, { orgId })
  })
  afterAll(() => fleet?.stop())

  it('runs with its parameters, and a warning opens an alert', async () => {
    const found = await run({ warn_percent: 1 })
    expect(found).toMatchObject({
      ...{ scriptId: script.id, sha256: script.sha256, version: 1, status: 'failed', exitCode: 2 },
      ...{ severity: 'warning', parameters: { warn_percent: 1 }, stdout: expect.stringMatching(/^warning: /) },
    })
    expect(await alerts()).toMatchObject([{ status: 'active', severity: 'medium', title: 'Disk usage: warning' }])
  })

  it('resolves the alert when it finds nothing', async () => {
    // No file system is above its size, but a full one would be at it.
    expect(await run({ warn_percent: 100 })).toMatchObject({ severity: 'success', exitCode: 0 })
    expect(await alerts()).toMatchObject([{ status: 'resolved' }])
  })

  it('is counted', async () => {
    expect(await fleet.must('GET', `/script-library/scripts/${script.id}/usage-stats`)).toMatchObject({
      ...{ runs: 2, succeeded: 1, failed: 1, successPercent: 50, devices: 1 },
      durationMs: { p50: expect.any(Number) },
    })
  })
})
