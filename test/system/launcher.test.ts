import { mkdir, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { isRunning, waitUntilGone } from '@muster/stack/process-id.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { Launcher, newPlace, type Place, processesOf } from './launcher.ts'

const launchers: Launcher[] = []
const places: Place[] = []
const goneMs = 20_000

async function place(): Promise<Place> {
  const made = await newPlace()
  places.push(made)
  return made
}

function launch(at: Place, settings?: Record<string, string>, args?: readonly string[]): Launcher {
  const launcher = new Launcher(at, settings, args)
  launchers.push(launcher)
  return launcher
}

async function refusal(launcher: Launcher): Promise<string> {
  expect(await launcher.exited).toBe(1)
  expect(launcher.errors.trim().split('\n')).toHaveLength(1)
  return launcher.errors.trim()
}

async function logIn({ ports }: Place, password: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${ports.admin}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'admin@muster.local', password }),
  })
  return answer.status
}

afterEach(async () => {
  await Promise.all(launchers.splice(0).map((launcher) => launcher.stop()))
  for (const { dataDir } of places.splice(0)) await rm(dataDir, { recursive: true, force: true })
})

describe('a start', () => {
  test('on a new folder prints addresses and the password once, stops gracefully, and keeps its data', async () => {
    const at = await place()
    // Tests of the checkout keep their builds in the same folder.
    for (const build of ['agent-build', 'wine-prefix']) await mkdir(join(at.dataDir, build))
    const first = launch(at)
    const freshMs = await first.ready()
    expect(first.output).toContain(`http://127.0.0.1:${at.ports.admin}/docs`)
    expect(first.output).toContain(`ws://127.0.0.1:${at.ports.ingest}/agent`)
    const [, password = ''] = await first.says(/^Password +(\S+)/m)
    expect(first.output).toMatch(new RegExp(`\nready http://127.0.0.1:${at.ports.admin}\n$`))
    expect(await logIn(at, password)).toBe(200)
    const { processes, postgres, redis } = processesOf(at)
    expect(processes).toHaveLength(3)
    expect(await first.stop('SIGINT')).toBe(0)
    expect([...processes, postgres, redis].filter(isRunning)).toEqual([])

    const second = launch(at)
    const againMs = await second.ready()
    console.log(
      `fresh start ${(freshMs / 1000).toFixed(1)} s, second start ${(againMs / 1000).toFixed(1)} s (budget 10 s)`,
    )
    expect(second.output).not.toContain('Password')
    expect(second.output).not.toContain('Outbox')
    expect((await fetch(`http://127.0.0.1:${at.ports.admin}/dev/outbox.json`)).status).toBe(404)
    expect(await logIn(at, password)).toBe(200)
    expect(await second.stop('SIGTERM')).toBe(0)
  })

  test('with --outbox prints the address of the outbox, a new one at each start', async () => {
    const at = await place()
    const outboxOf = async (launcher: Launcher) => {
      await launcher.ready()
      const [, url = ''] = /^Outbox (http:\/\/\S+\/dev\/outbox\/[\w-]{43})$/m.exec(launcher.output) ?? []
      return url
    }
    // A variable left in the shell does not open the outbox.
    const first = launch(at, { OUTBOX_TOKEN: 'a'.repeat(43), NODE_ENV: 'development' })
    expect(await outboxOf(first)).toBe('')
    expect((await fetch(`http://127.0.0.1:${at.ports.admin}/dev/outbox/${'a'.repeat(43)}`)).status).toBe(404)
    await first.stop()
    const second = launch(at, {}, ['--outbox'])
    const url = await outboxOf(second)
    await fetch(`http://127.0.0.1:${at.ports.admin}/api/v1/auth/forgot-password`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'admin@muster.local' }),
    })
    expect(await (await fetch(`${url}.json`)).json()).toMatchObject({
      mails: [{ to: 'admin@muster.local', url: expect.stringContaining('/reset-password#token=') }],
      sms: [],
    })
    await second.stop()
    const third = launch(at, {}, ['--outbox'])
    expect(await outboxOf(third)).not.toBe(url)
    expect((await fetch(url)).status).toBe(404)
    await third.stop()
  })

  test('after the launcher was killed leaves no orphan process, and the next start works', async () => {
    const at = await place()
    const first = launch(at)
    await first.ready()
    const { processes, postgres, redis } = processesOf(at)
    first.kill('SIGKILL')
    await first.exited
    const second = launch(at)
    await second.ready()
    expect(await waitUntilGone([...processes, postgres, redis], goneMs)).toEqual([])
    expect(await second.stop()).toBe(0)
  })

  test('restarts a process, Redis and PostgreSQL when they die, and stops with the reason when Redis dies again', async () => {
    const at = await place()
    const launcher = launch(at)
    await launcher.ready()
    const before = processesOf(at)
    for (const { pid } of before.processes) process.kill(pid, 'SIGKILL')
    for (const name of ['admin', 'worker', 'ingest']) await launcher.says(new RegExp(`${name} is running again`))
    process.kill(before.postgres.pid, 'SIGKILL')
    await launcher.says(/PostgreSQL is running again/)
    process.kill(before.redis.pid, 'SIGKILL')
    await launcher.says(/Redis is running again/)
    process.kill(processesOf(at).redis.pid, 'SIGKILL')
    await launcher.says(/Redis died again \(killed by SIGKILL\)/)
    expect(await launcher.exited).toBe(1)
    expect([...before.processes].filter(isRunning)).toEqual([])
  })
})

describe('a start that fails prints the reason in one line', () => {
  test('when a port is in use', async () => {
    const at = await place()
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(at.ports.ingest, '127.0.0.1', resolve))
    expect(await refusal(launch(at))).toMatch(`Port ${at.ports.ingest} (agents) is in use.`)
    server.close()
  })

  test('when a setting is wrong', async () => {
    const at = await place()
    const wrong = await launch(at, { ADMIN_PORT: 'none', INGEST_PROCESSES: '0' })
    expect(await wrong.exited).toBe(1)
    expect(wrong.errors).toContain('ADMIN_PORT is wrong')
    expect(wrong.errors).toContain('INGEST_PROCESSES is wrong')
  })

  test('when the folder was not made by Muster', async () => {
    const at = await place()
    await writeFile(join(at.dataDir, 'holiday.jpg'), '')
    expect(await refusal(launch(at))).toMatch(`The folder ${at.dataDir} was not made by Muster (it holds holiday.jpg)`)
  })

  test('when another launcher uses the folder, which keeps running', async () => {
    const at = await place()
    const first = launch(at)
    await first.ready()
    const other = await newPlace()
    places.push(other)
    const line = await refusal(launch({ ...other, dataDir: at.dataDir }))
    expect(line).toMatch(`is in use by another Muster launcher (process ${first.pid})`)
    expect((await fetch(`http://127.0.0.1:${at.ports.admin}/api/v1/health`)).status).toBe(200)
  })

  test('when the database is damaged, or of another PostgreSQL', async () => {
    const at = await place()
    const first = launch(at)
    await first.ready()
    await first.stop()
    await truncate(join(at.dataDir, 'postgres/global/pg_control'), 100)
    expect(await refusal(launch(at))).toMatch(/The database in \S+ is damaged/)
    await writeFile(join(at.dataDir, 'postgres/PG_VERSION'), '12\n')
    expect(await refusal(launch(at))).toMatch('was made by PostgreSQL 12, Muster runs 18')
  })

  test('when a process does not start, with its own reason', async () => {
    const at = await place()
    expect(await refusal(launch(at, { SOCKETS_MAX: 'many' }))).toMatch(/ingest does not start: SOCKETS_MAX is wrong/)
  })
})
