import { rm } from 'node:fs/promises'
import { type Session, sessionOf } from '@muster/stack/local-agent.ts'
import { operatorSession } from '@muster/stack/operator-session.ts'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { eventually } from './eventually.ts'
import { Launcher, newPlace, operatorAccess } from './launcher.ts'

const machines = 30
const Devices = z.looseObject({
  devices: z.array(
    z.looseObject({ id: z.string(), hostname: z.string(), status: z.string(), cpuPercent: z.number().nullable() }),
  ),
})
const Sent = z.looseObject({ status: z.string(), stdout: z.string() })

const place = await newPlace()
const launchers: Launcher[] = []

function launch(settings: Record<string, string>): Launcher {
  const launcher = new Launcher(place, settings, ['--demo', String(machines)])
  launchers.push(launcher)
  return launcher
}

afterAll(async () => {
  await Promise.all(launchers.map((launcher) => launcher.stop()))
  await rm(place.dataDir, { recursive: true, force: true })
})

const Listed = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string().nullish(),
      name: z.string().nullish(),
      status: z.string().nullish(),
      title: z.string().nullish(),
      attempts: z.array(z.looseObject({ error: z.string().nullable() })).optional(),
    }),
  ),
})

/** Rules and a policy with alerts, an active window, monitors of which some are offline, and a receiver that is dead. */
async function showsWhatIsWatched(session: Session): Promise<void> {
  const list = async (path: string) => (await session.get(path, Listed)).data
  expect((await list('/alerts/rules')).map(({ name }) => name)).toContain('Site offline')
  expect(await list('/alerts/policies')).toMatchObject([{ name: 'Everything' }])
  await eventually(async () => (await list('/alerts')).some(({ title }) => title?.includes('Disk nearly full')), 60_000)
  await eventually(async () => (await list('/maintenance/windows?status=active')).length === 1)
  await eventually(async () => {
    const statuses = new Set((await list('/monitors?limit=100')).map(({ status }) => status))
    return statuses.has('online') && statuses.has('offline')
  }, 60_000)
  const [monitor] = await list('/monitors?status=offline')
  expect((await list(`/monitors/${monitor?.id}/results`)).length).toBeGreaterThan(10)
  const [webhook] = await list('/webhooks')
  await eventually(async () => {
    const waiting = await list(`/webhooks/${webhook?.id}/deliveries?eventType=device.enrolled&limit=100`)
    return waiting.some(({ attempts }) => attempts?.some(({ error }) => error !== null))
  }, 60_000)
}

/** Automations with runs: one that ended well, one whose step failed, and one that was stopped at its limit. */
async function showsAutomations(session: Session): Promise<void> {
  const list = async (path: string) => (await session.get(path, Listed)).data
  const runsOf = async (name: string) => {
    const found = (await list('/automations?limit=100')).find((each) => each.name === name)
    return (await list(`/automations/${found?.id}/runs`)).map(({ status }) => status)
  }
  await eventually(async () => (await list('/automations?status=tripped')).length === 1, 60_000)
  await eventually(async () => (await runsOf('Nightly inventory')).includes('completed'), 60_000)
  await eventually(async () => (await runsOf('Restart for a closed ticket')).includes('failed'), 60_000)
}

const Severe = z.looseObject({ data: z.array(z.looseObject({ severity: z.string().nullable() })) })

/** Runs with several severities, their statistics, secrets of each level, and a version that waits for approval. */
async function showsScripts(session: Session): Promise<void> {
  const list = async (path: string) => (await session.get(path, Listed)).data
  const named = async (name: string) =>
    eventually(async () => (await list(`/scripts?search=${encodeURIComponent(name)}`))[0]?.id, 60_000)
  // Made last.
  const admins = await named('List administrators')
  const versions = await eventually(async () => {
    const found = await list(`/script-library/scripts/${admins}/versions`)
    return found.length === 2 && found
  })
  expect(versions.map(({ status }) => status)).toEqual(['pending_approval', 'approved'])
  for (const [name, ...wanted] of [
    ['Check free space', 'warning', 'success'],
    ['Verify last night’s backup', 'critical', 'success'],
    ['Clear old package files', 'error', 'info'],
  ] as const) {
    const id = await named(name)
    await eventually(async () => {
      const { data } = await session.get(`/scripts/${id}/executions?limit=100`, Severe)
      return wanted.every((severity) => data.some((run) => run.severity === severity))
    })
    const stats = z.looseObject({ runs: z.number().min(2), successPercent: z.number() })
    await session.get(`/script-library/scripts/${id}/usage-stats`, stats)
  }
  for (const level of ['partner', 'organization', 'site']) expect(await list(`/secrets?level=${level}`)).toHaveLength(1)
}

test('enrolls simulated machines that report, take commands, are watched, and are the same after a restart', {
  timeout: 180_000,
}, async () => {
  const first = launch({})
  await first.ready()
  const admin = `http://127.0.0.1:${place.ports.admin}`
  const operator = async () =>
    sessionOf(admin, await operatorSession(await operatorAccess(place), 'admin@muster.local'))
  const session = await operator()
  const seen = await eventually(async () => {
    const { devices } = await session.get('/devices?limit=100', Devices)
    return devices.length === machines && devices.every(({ cpuPercent }) => cpuPercent !== null) && devices
  })
  const target = seen.find(({ status, hostname }) => status === 'online' && /^(ws|lx|srv|mac|edge)-/.test(hostname))
  const order = { type: 'run_script', payload: { language: 'bash', script: 'uptime' }, waitMs: 30_000 }
  const { stdout } = await session.post(`/devices/${target?.id}/commands`, order, Sent)
  expect(stdout).toContain(target?.hostname)
  await showsWhatIsWatched(session)
  await showsAutomations(session)
  await showsScripts(session)
  expect(await first.stop()).toBe(0)

  const second = launch({})
  await second.ready()
  const again = await operator()
  const names = await eventually(async () => {
    const { devices } = await again.get('/devices?limit=100', Devices)
    return devices.some(({ status }) => status === 'online') && devices.map(({ hostname }) => hostname)
  })
  expect(names).toEqual(seen.map(({ hostname }) => hostname))
  expect(await second.stop()).toBe(0)
})
