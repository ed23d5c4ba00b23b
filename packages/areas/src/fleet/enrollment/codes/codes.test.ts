import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { signedInLongAgo } from '@muster/testkit/credentials.ts'
import { machine } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { agents } from '../agents.contract.ts'
import { keys } from '../keys/keys.contract.ts'
import { codes } from './codes.contract.ts'

const { system, settings } = await testServices()
const here = await world()
const elsewhere = await world()
const keyWith = (more: { maxUsage?: number; siteId?: string; expiresAt?: string } = {}) =>
  call(here.orgAdmin, keys.create, { orgId: here.org.id, name: 'Key', maxUsage: null, ...more })
let addresses = 0
/** Uses a new client address, because wrong codes count per address. */
const enrol = (code: string, ip = `198.51.100.${++addresses % 250}`) =>
  call(null, agents.enroll, { enrollmentKey: code, ...machine() }, { ip })

const line = `file=$(mktemp) && curl -fsSL ${settings.publicUrl}/api/v1/agents/install.sh -o "$file" && sudo sh "$file"`
const windowsLine =
  `powershell -NoProfile -ExecutionPolicy Bypass -Command "[Net.ServicePointManager]::SecurityProtocol = 'Tls12'; ` +
  `& ([scriptblock]::Create((New-Object Net.WebClient).DownloadString('${settings.publicUrl}/api/v1/agents/install.ps1')))"`

describe('an install code', () => {
  it('requires a fresh proof without a limit of uses, as its key does', async () => {
    const { id } = await keyWith()
    const late = await person(
      { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id },
      { role: 'Org Admin' },
    )
    await signedInLongAgo(late)
    expect(await refusal(call(late, codes.create, { id }))).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    expect(await call(late, codes.create, { id, maxUsage: 1_000 })).toMatchObject({ maxUsage: 1_000 })
    const { id: limited } = await keyWith({ maxUsage: 5 })
    expect(await call(late, codes.create, { id: limited })).toMatchObject({ maxUsage: null })
  })

  it('is short, without look-alike characters, enrolls like its key, and is accepted in any spelling', async () => {
    const { id } = await keyWith({ siteId: here.site.id })
    const { code, command, expiresAt } = await call(here.orgAdmin, codes.create, { id })
    expect(code).toMatch(/^[2-9A-HJ-NP-Z]{5}-[2-9A-HJ-NP-Z]{5}$/)
    expect(command).toBe(line)
    expect(command).not.toContain(code)
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(3_600_000)
    for (const typed of [code, code.toLowerCase(), code.replace('-', ''), code.replace('-', ' ')])
      expect(await enrol(typed)).toMatchObject({ orgId: here.org.id, siteId: here.site.id })
    expect(await call(here.orgAdmin, keys.get, { id })).toMatchObject({ usageCount: 4 })
  })

  it('is stored as a hash, and its creation and its uses are audited', async () => {
    const { id } = await keyWith()
    const { code } = await call(here.orgAdmin, codes.create, { id })
    const { deviceId } = await enrol(code)
    const { rows } = await system.query<{ id: string }>('SELECT * FROM enrollment_codes WHERE key_id = $1', [id])
    expect(JSON.stringify(rows)).not.toContain(code.slice(0, 5))
    const details = { installCodeId: rows[0]?.id }
    expect((await auditOf(id)).at(-1)).toMatchObject({ action: 'enrollment_code.create', details })
    expect((await auditOf(deviceId))[0]).toMatchObject({ details: { ...details, enrollmentKeyId: id } })
    expect(JSON.stringify(await auditOf(id))).not.toContain(code)
  })

  it('A10: enrolls exactly as many of 200 simultaneous machines as it has uses, and the key counts the same', {
    timeout: 60_000,
  }, async () => {
    const { id } = await keyWith({ maxUsage: 150 })
    const { code } = await call(here.orgAdmin, codes.create, { id, maxUsage: 100 })
    let left = 200
    const outcomes: string[] = []
    const takeTurns = async () => {
      while (left-- > 0)
        outcomes.push(
          await enrol(code).then(
            () => 'in',
            (error: Error) => error.message,
          ),
        )
    }
    await Promise.all(Array.from({ length: 40 }, takeTurns))
    expect(outcomes.filter((outcome) => outcome === 'in')).toHaveLength(100)
    expect(new Set(outcomes)).toEqual(new Set(['in', 'This install code has been used up']))
    expect(await call(here.orgAdmin, keys.get, { id })).toMatchObject({ usageCount: 100 })
  })

  it('cannot have more uses than its key', async () => {
    const { id } = await keyWith({ maxUsage: 2 })
    expect(await refusal(call(here.orgAdmin, codes.create, { id, maxUsage: 3 }))).toMatchObject({
      ...{ status: 400, message: 'maxUsage: the enrollment key has only 2 uses left' },
    })
    const { code } = await call(here.orgAdmin, codes.create, { id })
    await enrol(code)
    await enrol(code)
    expect(await refusal(enrol(code))).toMatchObject({ status: 403, message: 'This enrollment key has been used up' })
    expect(await refusal(call(here.orgAdmin, codes.create, { id }))).toMatchObject({ status: 409 })
    expect(await refusal(call(here.orgAdmin, codes.create, { id, expiresInSeconds: 86_401 }))).toMatchObject({
      status: 400,
    })
    const soon = new Date(Date.now() + 120_000).toISOString()
    const short = await keyWith({ expiresAt: soon })
    expect((await call(here.orgAdmin, codes.create, { id: short.id })).expiresAt).toBe(soon)
  })

  it('ends when it expires, when its key is rotated or deleted, and when it is revoked', async () => {
    const { id } = await keyWith()
    const made = async () => (await call(here.orgAdmin, codes.create, { id })).code
    const late = await made()
    await system.query(`UPDATE enrollment_codes SET expires_at = now() - interval '1 second' WHERE key_id = $1`, [id])
    expect(await refusal(enrol(late))).toMatchObject({ status: 403, message: 'This install code has expired' })
    const unknown = { status: 401, message: 'Invalid install code' }
    const revoked = await made()
    expect(await call(here.orgAdmin, codes.revoke, { id })).toEqual({ revoked: 1 })
    expect(await refusal(enrol(revoked))).toMatchObject(unknown)
    const rotated = await made()
    await call(here.orgAdmin, keys.rotate, { id })
    expect(await refusal(enrol(rotated))).toMatchObject(unknown)
    const deleted = await made()
    await call(here.orgAdmin, keys.remove, { id })
    expect(await refusal(enrol(deleted))).toMatchObject(unknown)
  })

  it('cannot be guessed: an address with wrong codes has to wait, one with right codes does not', async () => {
    const { id } = await keyWith()
    const { code } = await call(here.orgAdmin, codes.create, { id })
    const [guesser, customer] = ['203.0.113.7', '203.0.113.8']
    for (let tries = 0; tries < 20; tries++)
      expect(await refusal(enrol('ZZZZZ-22222', guesser))).toMatchObject({ status: 401 })
    expect(await refusal(enrol(code, guesser))).toMatchObject({
      status: 429,
      extra: { retryAfter: expect.any(Number) },
    })
    for (let uses = 0; uses < 25; uses++) await enrol(code, customer)
  })

  it('can be created only by users who may enroll machines', async () => {
    const { id } = await keyWith()
    const asking = [
      call(elsewhere.orgAdmin, codes.create, { id }),
      call(elsewhere.orgAdmin, codes.revoke, { id }),
      call(elsewhere.orgAdmin, codes.command, { id }),
    ]
    for (const told of await Promise.all(asking.map(refusal))) expect(told).toMatchObject({ status: 404 })
  })
})

describe('the install command', () => {
  it('contains neither key nor code: the script asks for it on standard input', async () => {
    const { id, key, installCommand, installCommands } = await keyWith()
    expect(installCommand).toBe(line)
    expect(installCommands).toEqual({ linux: line, macos: line, windows: windowsLine })
    expect(JSON.stringify(installCommands)).not.toContain(key)
    const made = await call(here.orgAdmin, codes.create, { id, maxUsage: 1 })
    expect(made).toMatchObject({ command: line, commands: installCommands })
    expect(JSON.stringify(made.commands)).not.toContain(made.code)
    expect(await call(here.orgAdmin, codes.command, { id })).toEqual({
      command: line,
      commands: installCommands,
      scriptUrl: `${settings.publicUrl}/api/v1/agents/install.sh`,
    })
  })
})
