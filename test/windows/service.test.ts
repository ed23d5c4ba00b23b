// The agent as a Windows service under wine: the service control manager starts and stops it, and its watchdog revives it.
import { link, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Administrator } from '../system/administrator.ts'
import { eventually } from '../system/eventually.ts'
import { WindowsMachine } from './windows-machine.ts'
import { type Wine, withoutWine } from './wine.ts'

const service = 'MusterAgent'

describe.skipIf(withoutWine !== undefined)('the Windows service', () => {
  let machine: WindowsMachine
  let fleet: Administrator
  let wine: Wine
  let id: string
  let folder: string
  const log = () => readFile(join(folder, 'data', 'service.log'), 'utf8').catch(() => '')
  beforeAll(async () => {
    machine = await WindowsMachine.start('muster-service')
    ;({ fleet, wine, folder } = machine)
    // One file under two names, so that the watchdog has nothing to take over: wine does not restart a service.
    await link(machine.executable, join(folder, 'agent', 'muster-agent.watchdog.exe'))
    // wine stops all services once no other program runs.
    await wine.start('ping', ['-n', '1000', '127.0.0.1'], '/dev/null')
    const command = [`${machine.drive}\\agent\\muster-agent.watchdog.exe`, 'service', ...machine.flags].join(' ')
    await wine.run('sc', ['create', service, `binPath=${command}`, 'start=demand'])
    // Where an installer puts the key; the agent removes it once it is enrolled.
    await mkdir(join(folder, 'data'))
    await writeFile(join(folder, 'data', 'enrollment.key'), `${machine.tenant.key}\n`)
    await wine.run('sc', ['start', service])
    id = await machine.online()
  }, 240_000)
  afterAll(() => machine?.stop())

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
