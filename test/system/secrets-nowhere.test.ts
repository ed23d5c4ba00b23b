// A secret is used by scripts on a real machine, while agent and worker are stopped and started. Afterward every place that lasts is
// searched for it: a dump of the database, the files of Redis, the folder of the agent, and all logs. All processes are real.
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { type Agent, Fleet } from './fleet.ts'

/** In parts, so that this file and the text of scripts do not contain it. */
const [first, second] = [randomBytes(8).toString('hex'), randomBytes(8).toString('hex')]
const value = `${first}-${second}`
/** The value itself, and the encodings in which a place could keep it. */
const forms = [first, second].flatMap((part) => [
  Buffer.from(part),
  Buffer.from(Buffer.from(part).toString('hex')),
  ...[0, 1, 2].map((shift) =>
    Buffer.from(
      Buffer.from('-'.repeat(shift) + part)
        .toString('base64')
        .slice(4, 18),
    ),
  ),
])

const filesBelow = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())

describe('a secret is nowhere but in the script', () => {
  let fleet: Fleet
  let tenant: Awaited<ReturnType<Fleet['tenant']>>
  let agent: Agent
  let deviceId: string

  const online = () => eventually(async () => (await fleet.must('GET', `/devices/${deviceId}`)).status === 'online')
  const send = (script: string, more: object = {}) =>
    fleet.must('POST', `/devices/${deviceId}/commands`, {
      type: 'run_script',
      payload: { language: 'sh', script, secrets: { TOKEN: 'backup-token' } },
      ...more,
    })
  const ended = (commandId: string) =>
    eventually(async () => {
      const command = await fleet.must('GET', `/devices/${deviceId}/commands/${commandId}`)
      return ['completed', 'failed', 'timed_out', 'expired'].includes(command.status) && command
    })
  /** The files below a folder that contain the secret in any form. */
  async function containing(folder: string, prefix = ''): Promise<string[]> {
    const found: string[] = []
    const within = (await readdir(folder)).filter((name) => name.startsWith(prefix))
    const below = prefix === '' ? [folder] : within.map((name) => join(folder, name))
    for (const entry of (await Promise.all(below.map(filesBelow))).flat()) {
      const path = join(entry.parentPath, entry.name)
      const content = await readFile(path).catch(() => Buffer.of())
      if (forms.some((form) => content.includes(form))) found.push(path)
    }
    return found
  }

  /** The rows of all tables, as text. */
  async function dumped(): Promise<string> {
    const owner = new pg.Client({ connectionString: fleet.stack.urls.owner })
    await owner.connect()
    try {
      const { rows: tables } = await owner.query<{ name: string }>(
        `SELECT c.oid::regclass::text AS name FROM pg_class c
         WHERE c.relkind IN ('r', 'p') AND c.relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)`,
      )
      const texts: string[] = []
      for (const { name } of tables) {
        const { rows } = await owner.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`)
        texts.push(name, ...rows.map(({ text }) => text))
      }
      return texts.join('\n')
    } finally {
      await owner.end()
    }
  }

  beforeAll(async () => {
    fleet = await Fleet.start()
    tenant = await fleet.tenant()
    agent = await fleet.agent('agent-secrets', tenant.key)
    deviceId = (await fleet.device(tenant.org.id, (one) => one.status === 'online')).id
    await fleet.must('POST', '/secrets', { orgId: tenant.org.id, name: 'backup-token', value })
  })
  afterAll(() => fleet?.stop())

  it('reaches the script, and is masked in its output, though it arrives in pieces', async () => {
    // The script must not contain a part of the secret itself.
    const whole = 'echo "whole $TOKEN"; echo "error $TOKEN" >&2'
    const pieces = `printf %s "$(printf %s "$TOKEN" | cut -c1-10)"; sleep 1.5; printf '%s\\n' "$(printf %s "$TOKEN" | cut -c11-)"`
    const { status, stdout, stderr } = await send(`${whole}; ${pieces}`, { waitMs: 30_000 })
    expect({ status, stdout, stderr }).toEqual({
      ...{ status: 'completed', stdout: 'whole ***\n***\n', stderr: 'error ***\n' },
    })
    const counted = await send('printf %s "$TOKEN" | wc -c', { waitMs: 30_000 })
    expect(counted.stdout.trim()).toBe(String(value.length))
  })

  it('comes as the parameter of a kept script, on many devices and for a device that was away', async () => {
    const made = await fleet.must('POST', '/scripts', {
      ...{ orgId: tenant.org.id, name: 'Backup', language: 'sh', content: 'echo "uses $PARAM_TOKEN"' },
      parameters: [{ name: 'token', type: 'secret', required: true }],
    })
    const execute = () =>
      fleet.must('POST', `/scripts/${made.id}/execute`, {
        ...{ deviceIds: [deviceId], parameters: { token: { secret: 'backup-token' } } },
      })
    const [now] = (await execute()).executions
    expect(await ended(now.commandId)).toMatchObject({ status: 'completed', stdout: 'uses ***\n' })
    expect(now.parameters).toEqual({ token: { secret: 'backup-token' } })
    await agent.process.stop()
    await eventually(async () => (await fleet.must('GET', `/devices/${deviceId}`)).status !== 'online')
    const [later] = (await execute()).executions
    agent = await fleet.agent('agent-secrets-again', tenant.key, agent.dataDir)
    await online()
    expect(await ended(later.commandId)).toMatchObject({ status: 'completed', stdout: 'uses ***\n' })
  })

  it('is sealed again for an agent whose key the server does not know', async () => {
    const owner = new pg.Client({ connectionString: fleet.stack.urls.owner })
    await owner.connect()
    try {
      for (const stale of ['NULL', 'reverse(sealing_key)']) {
        await owner.query(`UPDATE devices SET sealing_key = ${stale} WHERE id = $1`, [deviceId])
        expect(await send('echo "$TOKEN"', { waitMs: 30_000 })).toMatchObject({ status: 'completed', stdout: '***\n' })
      }
    } finally {
      await owner.end()
    }
  })

  it('is not used twice when the agent is killed with a script under way', async () => {
    const { id } = await send('echo "$TOKEN"; sleep 60')
    await eventually(async () => {
      const command = await fleet.must('GET', `/devices/${deviceId}/commands/${id}`)
      return command.stdout === '***\n'
    })
    // It is started again at once.
    agent.process.kill('SIGKILL')
    expect(await ended(id)).toMatchObject({ status: 'failed', error: expect.stringMatching(/^INTERRUPTED: /) })
  })

  it('is in no dump, no file of Redis, no folder of the agent and no log', async () => {
    const { stack } = fleet
    const dump = await dumped()
    expect(dump).toContain('backup-token')
    for (const form of forms) expect(dump).not.toContain(form.toString())
    // PostgreSQL with its log of writes, Redis with its append-only file, and all logs.
    const { path, engines, logs } = stack.stores.folder
    for (const folder of new Set([path, engines, logs, agent.dataDir])) {
      expect((await readdir(folder)).length).toBeGreaterThan(1)
      expect(await containing(folder)).toEqual([])
    }
    expect(await containing(tmpdir(), 'muster-script-')).toEqual([])
  })
})
