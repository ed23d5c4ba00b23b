// The agent as a Windows service under wine: the service control manager starts and stops it, and its watchdog revives it.
import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildExecutable } from '../../scripts/agent-build/executable.ts'
import { targetsNamed } from '../../scripts/agent-build/targets.ts'
import { eventually, Fleet } from '../system/fleet.ts'
import { Wine, withoutWine } from './wine.ts'

const service = 'MusterAgent'

describe.skipIf(withoutWine !== undefined)('the Windows service', () => {
  let fleet: Fleet
  let wine: Wine
  let id: string
  let folder: string
  const log = () => readFile(join(folder, 'data', 'service.log'), 'utf8').catch(() => '')
  beforeAll(async () => {
    wine = await Wine.open()
    folder = wine.path('muster-service')
    await rm(folder, { recursive: true, force: true })
    await mkdir(join(folder, 'agent'), { recursive: true })
    const [target] = targetsNamed(['win-x64'])
    if (target === undefined) throw new Error('unreachable')
    const executable = join(folder, 'agent', target.executable)
    const [started] = await Promise.all([
      Fleet.start(),
      buildExecutable({ target, release: { version: '7.0.0' }, to: executable }),
    ])
    fleet = started
    // One file under two names, so that the watchdog has nothing to take over: wine does not restart a service.
    await link(executable, join(folder, 'agent', 'muster-agent.watchdog.exe'))
    const { org, key } = await fleet.tenant()
    // wine stops all services once no other program runs.
    await wine.start('ping', ['-n', '1000', '127.0.0.1'], '/dev/null')
    const program = 'C:\\muster-service\\agent\\muster-agent.watchdog.exe'
    const flags = `service --server ${fleet.stack.urls.admin} --data-dir C:\\muster-service\\data`
    // An earlier run that was killed may have left it.
    await wine.run('sc', ['delete', service])
    await wine.run('sc', ['create', service, `binPath=${program} ${flags}`, 'start=demand'])
    // Where an installer puts the key; the agent removes it once it is enrolled.
    await mkdir(join(folder, 'data'))
    await writeFile(join(folder, 'data', 'enrollment.key'), `${key}\n`)
    await wine.run('sc', ['start', service])
    id = (await fleet.device(org.id, (one) => one.status === 'online', 60_000)).id
  }, 180_000)
  afterAll(async () => {
    await wine?.run('sc', ['delete', service])
    await wine?.stop()
    await fleet?.stop()
  })

  const base = () => `/system-tools/devices/${id}`
  /** The child process of the service. */
  const agentPid = async (): Promise<number> => {
    const { mainPid } = await fleet.must('GET', `${base()}/services/${service}`)
    const { processes } = await fleet.must('GET', `${base()}/processes?search=muster-agent`)
    const agent = processes.find(({ parentPid }: { parentPid: number }) => parentPid === mainPid)
    if (agent === undefined) throw new Error('the service runs no agent')
    return agent.pid
  }

  it('runs, and is seen by the service control manager', async () => {
    expect(await fleet.must('GET', `${base()}/services/${service}`)).toMatchObject({ state: 'running' })
    expect(await log()).toMatch(/connected to/)
    expect(await readdir(join(folder, 'data'))).not.toContain('enrollment.key')
  })

  it('revives an agent that was killed', async () => {
    const before = await agentPid()
    await wine.run('taskkill', ['/F', '/PID', String(before)])
    await eventually(async () => ((await log()).match(/connected to/g) ?? []).length >= 2, 40_000)
    await eventually(async () => (await agentPid().catch(() => before)) !== before, 40_000)
  })

  it('stops with its agent when the service control manager asks it to', async () => {
    await wine.run('sc', ['stop', service])
    await eventually(async () => (await log()).includes('stopping: the watchdog ends it'))
    await eventually(async () => (await fleet.must('GET', `/devices/${id}`)).status !== 'online', 40_000)
  })
})
