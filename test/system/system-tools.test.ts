// Interactive tools end to end: from REST to a real agent and back, in one request.

import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Agent, Fleet } from './fleet.ts'

describe('the tools of a device', () => {
  let fleet: Fleet
  let agent: Agent
  let base: string
  let id: string
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'muster-tools-'))
    fleet = await Fleet.start()
    const { org, key } = await fleet.tenant()
    agent = await fleet.agent('agent-tools', key)
    id = (await fleet.device(org.id, (one) => one.status === 'online')).id
    base = `/system-tools/devices/${id}`
  })
  afterAll(async () => {
    await fleet?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('list processes, show one and end it', async () => {
    const child = spawn('sleep', ['600'], { stdio: 'ignore' })
    const { processes } = await fleet.must('GET', `${base}/processes?search=sleep`)
    const found = processes.find((one: { pid: number }) => one.pid === child.pid)
    expect(found).toMatchObject({ name: 'sleep', command: 'sleep 600', parentPid: process.pid })
    const detail = await fleet.must('GET', `${base}/processes/${child.pid}`)
    expect(detail).toMatchObject({ ...found, cpuPercent: expect.any(Number), workingDirectory: process.cwd() })
    const wrong = { signal: 'TERM', startedAt: '2020-01-01T00:00:00Z' }
    expect(await fleet.rest('POST', `${base}/processes/${child.pid}/kill`, wrong)).toMatchObject({ status: 409 })
    const exited = once(child, 'exit')
    const { startedAt } = found
    const killed = await fleet.must('POST', `${base}/processes/${child.pid}/kill`, { signal: 'KILL', startedAt })
    expect(killed).toEqual({ pid: child.pid, name: 'sleep', signal: 'KILL', ended: true })
    expect((await exited)[1]).toBe('SIGKILL')
    const { status, body } = await fleet.rest('GET', `${base}/processes/${child.pid}`)
    expect([status, body.code, body.message]).toEqual([404, 'NOT_FOUND', `Process ${child.pid} not found`])
    const self = await fleet.rest('POST', `${base}/processes/1/kill`, {})
    expect(self).toMatchObject({ status: 409, body: { code: 'DEVICE_REFUSED', deviceCode: 'DENIED' } })
  })

  it('list, download and upload files, in chunks and as a whole', async () => {
    const content = randomBytes(1_700_000)
    await writeFile(join(folder, 'given.bin'), content)
    await symlink('/etc/passwd', join(folder, 'link'))
    const { entries } = await fleet.must('GET', `${base}/files?path=${folder}`)
    expect(entries).toMatchObject([
      { name: 'given.bin', type: 'file', sizeBytes: content.length },
      { name: 'link', type: 'symlink', target: '/etc/passwd' },
    ])
    const down = await fleet.bytes('GET', `${base}/files/download?path=${folder}/given.bin`)
    expect(down.headers.get('content-disposition')).toContain('given.bin')
    expect(Buffer.from(await down.arrayBuffer()).equals(content)).toBe(true)

    const etag = down.headers.get('etag') ?? ''
    const part = (range: string, more: Record<string, string> = {}) =>
      fleet.bytes('GET', `${base}/files/download?path=${folder}/given.bin`, undefined, { range, ...more })
    const end = content.length - 1
    for (const [range, first, last] of [
      ['bytes=600000-1200000', 600_000, 1_200_000],
      ['bytes=-10', end - 9, end],
      ['bytes=0-4', 0, 4],
    ] as const) {
      const answer = await part(range, { 'if-range': etag })
      const said = `bytes ${first}-${last}/${content.length}`
      expect([answer.status, answer.headers.get('content-range')]).toEqual([206, said])
      expect(Buffer.from(await answer.arrayBuffer()).equals(content.subarray(first, last + 1))).toBe(true)
    }
    expect((await part(`bytes=${content.length}-`)).status).toBe(416)
    const changed = await part('bytes=0-4', { 'if-range': '"other"' })
    expect([changed.status, (await changed.arrayBuffer()).byteLength]).toEqual([200, content.length])

    const up = await fleet.bytes('POST', `${base}/files/upload?path=${folder}/taken.bin&mode=600`, content)
    const sha256 = createHash('sha256').update(content).digest('hex')
    expect([up.status, await up.json()]).toEqual([
      201,
      { path: `${folder}/taken.bin`, sizeBytes: content.length, sha256 },
    ])
    expect((await readFile(join(folder, 'taken.bin'))).equals(content)).toBe(true)
    const again = await fleet.bytes('POST', `${base}/files/upload?path=${folder}/taken.bin`, Buffer.from('x'))
    expect([again.status, await again.json()]).toMatchObject([409, { code: 'CONFLICT' }])
    const over = await fleet.bytes(
      'POST',
      `${base}/files/upload?path=${folder}/taken.bin&overwrite=true`,
      Buffer.from('x'),
    )
    expect(over.status).toBe(201)
    expect(await readFile(join(folder, 'taken.bin'), 'utf8')).toBe('x')
    const { entries: now } = await fleet.must('GET', `${base}/files?path=${folder}`)
    expect(now.map((entry: { name: string }) => entry.name)).toEqual(['given.bin', 'link', 'taken.bin'])
  })

  it('close links, system folders and the agent’s own keys', async () => {
    await mkdir(join(folder, 'inside'), { recursive: true })
    await symlink('/proc', join(folder, 'proc'))
    for (const path of [
      `${folder}/link`,
      '/proc/self/environ',
      `${folder}/proc/self/environ`,
      '/dev/zero',
      `${agent.dataDir}/identity.key`,
      folder,
    ]) {
      const { status, body } = await fleet.rest('GET', `${base}/files/download?path=${encodeURIComponent(path)}`)
      expect([path, status, body.deviceCode]).toEqual([path, 409, 'DENIED'])
    }
    for (const path of [agent.dataDir, '/proc']) {
      expect(await fleet.rest('GET', `${base}/files?path=${path}`)).toMatchObject({ body: { deviceCode: 'DENIED' } })
    }
    const planted = await fleet.bytes(
      'POST',
      `${base}/files/upload?path=${agent.dataDir}/enrolment.json&overwrite=true`,
      Buffer.from('{}'),
    )
    expect(planted.status).toBe(409)
    const up = await fleet.rest('GET', `${base}/files?path=${encodeURIComponent('/tmp/../etc')}`)
    expect(up).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } })
    expect(await fleet.rest('GET', `${base}/files?path=${folder}/absent`)).toMatchObject({ status: 404 })
  })

  it('read event logs and scheduled tasks', async () => {
    const { logs } = await fleet.must('GET', `${base}/eventlogs`)
    const file = logs.find((log: { source: string; sizeBytes: number }) => log.source === 'file' && log.sizeBytes > 0)
    const name = encodeURIComponent(file.name)
    expect(await fleet.must('GET', `${base}/eventlogs/${name}`)).toMatchObject({ name: file.name, source: 'file' })
    const { events } = await fleet.must('GET', `${base}/eventlogs/${name}/events?limit=3`)
    expect(events.length).toBeGreaterThan(0)
    const event = await fleet.must('GET', `${base}/eventlogs/${name}/events/${events[0].recordId}`)
    expect(event.message).toBe(events[0].message)
    const { tasks } = await fleet.must('GET', `${base}/tasks`)
    for (const { path } of tasks.slice(0, 2)) {
      const task = await fleet.must('GET', `${base}/tasks/${encodeURIComponent(path)}`)
      expect(task).toMatchObject({ path, definition: expect.any(String) })
      await fleet.must('GET', `${base}/tasks/${encodeURIComponent(path)}/history`)
    }
    expect(await fleet.rest('GET', `${base}/tasks/timer:absent.timer`)).toMatchObject({
      body: { code: expect.stringMatching(/NOT_FOUND|DEVICE_REFUSED/) },
    })
  })

  it('report features that the machine lacks', async () => {
    const registry = await fleet.rest('GET', `${base}/registry/keys?hive=HKEY_LOCAL_MACHINE`)
    expect(registry).toMatchObject({ status: 422, body: { code: 'UNSUPPORTED_PLATFORM' } })
    const { capabilities } = await fleet.must('GET', `/devices/${id}`)
    expect(capabilities.reported).toBe(true)
    expect(capabilities.available).toEqual(expect.arrayContaining(['list_processes', 'script:sh', 'refresh_inventory']))
    expect(capabilities.unavailable).toMatchObject({
      list_registry_keys: 'UNSUPPORTED_PLATFORM',
      'script:cmd': 'UNSUPPORTED_PLATFORM',
    })
    // These tests run with or without a service manager.
    const { status, body } = await fleet.rest('GET', `${base}/services`)
    const hasServices = capabilities.available.includes('list_services')
    expect([status, body.code]).toEqual(hasServices ? [200, undefined] : [409, 'MISSING_TOOL'])
    const script = { type: 'run_script', payload: { script: 'true', language: 'zsh' } }
    const hasZsh = capabilities.available.includes('script:zsh')
    const command = await fleet.rest('POST', `/devices/${id}/commands`, script)
    expect([command.status, command.body.code]).toEqual(hasZsh ? [201, undefined] : [409, 'MISSING_TOOL'])
  })

  it('show a restart of the machine in a dry run', async () => {
    const { status, body } = await fleet.rest('POST', `/devices/${id}/commands`, {
      type: 'reboot',
      payload: { dryRun: true },
      waitMs: 20_000,
    })
    const { capabilities } = await fleet.must('GET', `/devices/${id}`)
    const { reboot } = capabilities.unavailable
    if (reboot === undefined)
      expect(body).toMatchObject({ status: 'completed', result: { action: 'reboot', dryRun: true } })
    else expect([status, body.code]).toEqual([reboot === 'NOT_PERMITTED' ? 403 : 409, reboot])
  })

  it('report a device without a connection at once', async () => {
    await agent.process.stop()
    await fleet.device((await fleet.must('GET', `/devices/${id}`)).orgId, (one) => one.status === 'offline')
    const { status, body } = await fleet.rest('GET', `${base}/processes`)
    expect([status, body]).toEqual([409, { code: 'DEVICE_OFFLINE', message: 'The device is not connected' }])
  })
})
