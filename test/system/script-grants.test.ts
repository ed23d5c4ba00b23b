// An attacker who writes in the database, or who took over the worker and Redis, tries to run a script. All processes are real.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { OrderSigner } from '@muster/areas/control/commands/delivery/order-signer.ts'
import { connectRedis, untilReady } from '@muster/backplane/redis.ts'
import { nodesOf, sendToNode } from '@muster/backplane/routing.ts'
import { createGrantKeyring, type GrantKeyring, readGrantKeyring } from '@muster/kit/secrets/grant-keyring.ts'
import { readKeyring } from '@muster/kit/secrets/keyring.ts'
import { orderKeyId } from '@muster/kit/secrets/order-keys.ts'
import { newestOf, privateKeyOf } from '@muster/kit/secrets/signing-keys.ts'
import { commandMessage } from '@muster/testkit/down-messages.ts'
import { encodeDown } from '@muster/wire/down.ts'
import { type GrantClaims, readGrant, signGrant } from '@muster/wire/grants.ts'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { type Agent, Fleet } from './fleet.ts'

const keysCli = fileURLToPath(new URL('../../packages/backplane/src/keys-cli.ts', import.meta.url))

describe('a script runs only as admin granted it', () => {
  const notes: string[] = []
  let fleet: Fleet
  let database: pg.Client
  let folder: string
  let tenant: Awaited<ReturnType<Fleet['tenant']>>
  let agent: Agent
  let deviceId: string
  let otherDeviceId: string
  const grantKeysFile = () => join(fleet.stack.stores.folder.path, 'grant-keys.json')

  const online = (id: string) => eventually(async () => (await fleet.must('GET', `/devices/${id}`)).status === 'online')
  const stop = async () => {
    await agent.process.stop()
    await eventually(async () => (await fleet.must('GET', `/devices/${deviceId}`)).status !== 'online')
  }
  const start = async () => {
    agent = await fleet.agent(`agent-${randomUUID()}`, tenant.key, agent.dataDir)
    await online(deviceId)
  }
  const send = (id: string, marker: string, more: object = {}) =>
    fleet.must('POST', `/devices/${id}/commands`, {
      type: 'run_script',
      payload: { language: 'sh', script: `echo ran >> ${join(folder, marker)}`, args: ['one'], env: { NAME: 'one' } },
      ...more,
    })
  const ended = (id: string, commandId: string) =>
    eventually(async () => {
      const command = await fleet.must('GET', `/devices/${id}/commands/${commandId}`)
      return ['completed', 'failed'].includes(command.status) && command
    })
  const grantOf = async (commandId: string): Promise<string> => {
    const { rows } = await database.query('SELECT script_grant FROM device_commands WHERE id = $1', [commandId])
    return rows[0]?.script_grant
  }
  /** The grant with other claims, signed by a key. */
  const signedAgain = (grant: string, changes: Partial<GrantClaims>, { grants, grantStatements }: GrantKeyring) => {
    const read = readGrant(grant)
    if (read === undefined) throw new Error('The command has no grant')
    const newest = newestOf(grants)
    const signer = { kid: orderKeyId(newest.x), serial: grantStatements.length, key: privateKeyOf(newest) }
    return signGrant({ ...read.claims, ...changes }, signer)
  }

  beforeAll(async () => {
    fleet = await Fleet.start({ onNote: (line) => notes.push(line) })
    folder = await fleet.folder()
    tenant = await fleet.tenant()
    database = new pg.Client({ connectionString: fleet.stack.urls.owner })
    await database.connect()
    agent = await fleet.agent('agent-victim', tenant.key)
    deviceId = (await fleet.device(tenant.org.id, (one) => one.status === 'online')).id
    await fleet.agent('agent-other', tenant.key)
    const isOther = (one: { id: string; status: string }) => one.id !== deviceId && one.status === 'online'
    otherDeviceId = (await fleet.device(tenant.org.id, isOther)).id
  })
  afterAll(async () => {
    await database?.end()
    await fleet?.stop()
  })

  it('is signed for a command, for a bulk request of many devices, and for nothing else', async () => {
    expect(await send(deviceId, 'single', { waitMs: 20_000 })).toMatchObject({ status: 'completed' })
    const payload = { language: 'sh', script: `echo ran >> ${join(folder, 'bulk')}` }
    const deviceIds = [deviceId, otherDeviceId]
    const { commands } = await fleet.must('POST', '/devices/bulk/commands', { type: 'run_script', payload, deviceIds })
    for (const { id, deviceId: to } of commands) expect(await ended(to, id)).toMatchObject({ status: 'completed' })
    const { rows } = await database.query(`SELECT type, script_grant FROM device_commands WHERE script_grant IS NULL`)
    expect(rows.filter(({ type }) => type === 'run_script')).toEqual([])
    expect(JSON.stringify(commands)).not.toContain('rant')
  })

  const changes: { what: string; set: string; code: string; value?: (grant: string) => Promise<string> }[] = [
    {
      what: 'another script',
      set: `payload = jsonb_set(payload, '{script}', to_jsonb(payload ->> 'script' || ';true'))`,
      code: 'GRANT_MISMATCH',
    },
    { what: 'another language', set: `payload = jsonb_set(payload, '{language}', '"bash"')`, code: 'GRANT_MISMATCH' },
    { what: 'other arguments', set: `payload = jsonb_set(payload, '{args,0}', '"two"')`, code: 'GRANT_MISMATCH' },
    { what: 'another environment', set: `payload = jsonb_set(payload, '{env,NAME}', '"two"')`, code: 'GRANT_MISMATCH' },
    { what: 'another folder', set: `payload = payload || '{"workingDirectory": "/"}'`, code: 'GRANT_MISMATCH' },
    { what: 'a longer timeout', set: 'timeout_ms = timeout_ms + 1', code: 'GRANT_MISMATCH' },
    { what: 'no grant', set: 'script_grant = NULL', code: 'UNSIGNED_SCRIPT' },
    {
      what: 'the grant of another device',
      set: 'script_grant = $2',
      value: async () => grantOf((await send(otherDeviceId, 'other', { waitMs: 20_000 })).id),
      code: 'GRANT_MISMATCH',
    },
    {
      what: 'a grant of another key',
      set: 'script_grant = $2',
      value: async (grant) => signedAgain(grant, {}, createGrantKeyring()),
      code: 'UNSIGNED_SCRIPT',
    },
    {
      what: 'a grant that was changed',
      set: 'script_grant = $2',
      value: async (grant) => {
        const [, , signature] = grant.split('.')
        const changed = signedAgain(grant, { timeoutMs: 1 }, readGrantKeyring(grantKeysFile()))
        return `${changed.split('.').slice(0, 2).join('.')}.${signature}`
      },
      code: 'UNSIGNED_SCRIPT',
    },
    {
      what: 'a grant that has expired',
      set: 'script_grant = $2',
      value: async (grant) => {
        const exp = Math.floor(Date.now() / 1_000) - 3_600
        return signedAgain(grant, { exp }, readGrantKeyring(grantKeysFile()))
      },
      code: 'GRANT_EXPIRED',
    },
  ]

  it('from the database: refuses what was changed while the machine was away, and runs the rest', async () => {
    await stop()
    const sent: { id: string; code: string | undefined; what: string }[] = []
    for (const { what, set, value, code } of changes) {
      const { id } = await send(deviceId, 'altered')
      const values = value === undefined ? [id] : [id, await value(await grantOf(id))]
      const { rowCount } = await database.query(`UPDATE device_commands SET ${set} WHERE id = $1`, values)
      expect(rowCount, what).toBe(1)
      sent.push({ id, code, what })
    }
    const unchanged = await send(deviceId, 'unchanged')
    await start()
    expect(await ended(deviceId, unchanged.id)).toMatchObject({ status: 'completed' })
    for (const { id, code, what } of sent) {
      const { status, error } = await ended(deviceId, id)
      expect({ what, status, code: error?.split(':')[0] }).toEqual({ what, status: 'failed', code })
    }
    expect(existsSync(join(folder, 'altered'))).toBe(false)
    expect(await readFile(join(folder, 'unchanged'), 'utf8')).toBe('ran\n')
  })

  it('from Redis, with the keys of the worker: refuses an order for a script that admin did not grant', async () => {
    const redis = connectRedis(fleet.stack.urls.redis, 'attacker')
    try {
      await untilReady(redis, 10_000)
      const node = (await nodesOf(redis, [deviceId])).get(deviceId) ?? ''
      const signer = new OrderSigner(readKeyring(fleet.stack.stores.secretFiles.keysFile))
      const granted = await send(deviceId, 'granted', { waitMs: 20_000 })
      const grant = await grantOf(granted.id)
      for (const [code, given] of [
        ['UNSIGNED_SCRIPT', {}],
        ['GRANT_MISMATCH', { grant }],
      ] as const) {
        const payload = { language: 'sh', script: `echo pwned >> ${join(folder, 'pwned')}` }
        const message = commandMessage({ payload, ...given })
        const commandId = message.name === 'command' ? message.body.id : ''
        const order = signer.order({ kind: 'frame', deviceId, frame: encodeDown(message), commandId })
        const before = fleet.log(agent.process.name).length
        await sendToNode(redis, node, [order], tenant.org.partnerId)
        await eventually(async () => fleet.log(agent.process.name).slice(before).includes(`${commandId}) failed`))
        expect(await readFile(join(agent.dataDir, 'journal.log'), 'utf8')).toContain(code)
      }
      expect(existsSync(join(folder, 'pwned'))).toBe(false)
    } finally {
      redis.disconnect()
    }
  })

  it('with a new key: agents follow when the key before signed its statement, and an older agent takes the keys once', async () => {
    const keys = (verb: string) => promisify(execFile)(process.execPath, [keysCli, verb, 'grants', grantKeysFile()])
    const trusted = async () => JSON.parse(await readFile(join(agent.dataDir, 'grant-keys.json'), 'utf8'))
    const first = await trusted()
    await keys('rotate')
    fleet.stack.admin?.kill('SIGTERM')
    await eventually(async () => notes.some((note) => note.startsWith('admin died')))
    await fleet.stack.admin?.ready
    expect(await send(deviceId, 'rotated', { waitMs: 20_000 })).toMatchObject({ status: 'completed' })
    expect(await trusted()).toMatchObject({ serial: 2, keys: [expect.any(String), first.keys[0]] })
    await stop()
    await rm(join(agent.dataDir, 'grant-keys.json'))
    await start()
    expect(await send(deviceId, 'older', { waitMs: 20_000 })).toMatchObject({ status: 'completed' })
    expect(await trusted()).toMatchObject({ serial: 2 })
  })

  it('with the keys of another installation: an agent that has keys does not follow', async () => {
    const keyring = createGrantKeyring()
    const pinned = { serial: 1, keys: keyring.grants.map(({ x }) => x) }
    await stop()
    await writeFile(join(agent.dataDir, 'grant-keys.json'), JSON.stringify(pinned))
    await start()
    const { status, error } = await send(deviceId, 'foreign', { waitMs: 20_000 })
    expect({ status, error }).toEqual({ status: 'failed', error: expect.stringMatching(/^UNSIGNED_SCRIPT: /) })
    expect(existsSync(join(folder, 'foreign'))).toBe(false)
  })
})
