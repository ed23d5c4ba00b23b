import { randomBytes } from 'node:crypto'
import { operations } from '@muster/areas/registry.ts'
import { plainCell } from '@muster/kit/body/csv.ts'
import type { RawAnswer } from '@muster/kit/call.ts'
import { run } from '@muster/kit/operation/run.ts'
import { call, refusal, requestAs } from '@muster/testkit/call.ts'
import { testRuntime, testServices } from '@muster/testkit/services.ts'
import { type Person, person, world } from '@muster/testkit/world.ts'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { profile } from '../../access/users/profile.contract.ts'
import { organizations } from '../../tenancy/tenancy/organizations/organizations.contract.ts'
import { sites } from '../../tenancy/tenancy/sites/sites.contract.ts'
import { exports } from './exports.contract.ts'
import { logs } from './logs.contract.ts'
import { reports } from './reports.contract.ts'

const here = await world()
const elsewhere = await world()
const { system } = await testServices()
const admin = here.partnerAdmin
const word = () => `w${randomBytes(6).toString('hex')}`
const ids = (list: { data: readonly { id: string }[] }) => list.data.map(({ id }) => id)

interface RecordFields {
  partnerId?: string | null
  orgId?: string | null
  actorId?: string
  action?: string
  name?: string
  at?: string
}
/** Records with a given time. */
async function recorded(count: number, { partnerId = here.partner.id, orgId = null, ...given }: RecordFields = {}) {
  const { rows } = await system.query<{ id: string }>(
    `INSERT INTO audit_logs (at, partner_id, org_id, actor_type, actor_id, actor_email, action, resource_type, resource_name)
     SELECT coalesce($1::timestamptz, now()) + i * interval '1 microsecond', $2, $3, 'user', $4, 'ann.smith@example.test', $5, 'thing', $6
     FROM generate_series(1, $7::int) i RETURNING id`,
    [
      given.at ?? null,
      partnerId,
      orgId,
      given.actorId ?? null,
      given.action ?? 'thing.update',
      given.name ?? null,
      count,
    ],
  )
  return rows.map(({ id }) => id)
}

it('keeps the last state of a deleted object, without its secrets', async () => {
  const { partnerAdmin, otherOrg } = await world()
  const config = { ssoConfig: { clientSecret: 'not to be seen' } }
  await system.query('UPDATE organizations SET sso_config = $2 WHERE id = $1', [
    otherOrg.id,
    JSON.stringify(config.ssoConfig),
  ])
  await call(partnerAdmin, organizations.remove, { id: otherOrg.id })
  const { data } = await call(partnerAdmin, logs.list, { action: 'organization.delete' })
  const [record] = data
  expect(record?.details).toMatchObject({ before: { name: otherOrg.name, id: otherOrg.id } })
  expect(JSON.stringify(record)).not.toContain('not to be seen')
})

describe('records', () => {
  it('contain actor, action and origin, and the old and new values of changed fields', async () => {
    const site = await call(here.orgAdmin, sites.create, { orgId: here.org.id, name: 'Before' })
    await call(here.orgAdmin, sites.update, { id: site.id, name: 'After' })
    const { data } = await call(admin, logs.list, { resourceId: site.id })
    expect(data[0]).toMatchObject({
      action: 'site.update',
      actorType: 'user',
      actorId: here.orgAdmin.userId,
      actorEmail: here.orgAdmin.email,
      orgId: here.org.id,
      partnerId: here.partner.id,
      resourceType: 'site',
      resourceId: site.id,
      resourceName: 'After',
      result: 'success',
      ipAddress: '127.0.0.1',
      userAgent: 'test',
      changedFields: ['name'],
      details: { changedFields: ['name'], changes: { name: { before: 'Before', after: 'After' } } },
    })
    expect(await call(admin, logs.get, { id: data[0]?.id ?? '' })).toEqual(data[0])
  })

  it('have createdAt and updatedAt equal to at in each response and export', async () => {
    const name = word()
    await recorded(1, { name, action: 'role.update' })
    const { data: found } = await call(admin, logs.search, { q: name })
    const { data: newest } = await call(admin, logs.recent, { resourceType: 'thing', limit: 1 })
    const { data: events } = await call(admin, reports.securityEvents, {})
    const json = JSON.parse((await exported(admin, { q: name, format: 'json' })).text)
    const [header = [], ...rows] = rowsOf((await exported(admin, { q: name })).text)
    const cells = rows.map((row) => Object.fromEntries(header.map((column, index) => [column, row[index]])))
    for (const records of [found, newest, events, json.data, cells]) {
      expect(records).not.toEqual([])
      for (const { at, createdAt, updatedAt } of records) expect([createdAt, updatedAt]).toEqual([at, at])
    }
  })

  it('are written also for a caller who cannot read them', async () => {
    const someone = await person(
      { scope: 'partner', partnerId: here.partner.id },
      { role: 'Partner Viewer', orgAccess: 'none' },
    )
    await call(someone, profile.update, { name: 'New' })
    const { data } = await call(admin, logs.list, { actorId: someone.userId })
    expect(data).toMatchObject([{ action: 'user.profile.update' }])
  })
})

describe('reach', () => {
  it('lets a partner read records of itself and its organizations, and an organization only its own', async () => {
    const [ofPartner] = await recorded(1)
    const [ofOrg] = await recorded(1, { orgId: here.org.id })
    const [ofOther] = await recorded(1, { orgId: here.otherOrg.id })
    const [foreign] = await recorded(1, { partnerId: elsewhere.partner.id })
    const [nobodys] = await recorded(1, { partnerId: null })
    const mine = [ofPartner, ofOrg, ofOther, foreign, nobodys]
    const seenBy = async (who: Person) => {
      const seen = new Set(ids(await call(who, logs.recent, { resourceType: 'thing', limit: 500 })))
      return mine.map((id) => seen.has(id ?? ''))
    }
    expect(await seenBy(admin)).toEqual([true, true, true, false, false])
    expect(await seenBy(here.orgAdmin)).toEqual([false, true, false, false, false])
    expect(await seenBy(here.systemAdmin)).toEqual([true, true, true, true, true])
    const selected = await person(
      { scope: 'partner', partnerId: here.partner.id },
      { role: 'Partner Admin', orgAccess: 'selected', orgIds: [here.org.id] },
    )
    expect(await seenBy(selected)).toEqual([false, true, false, false, false])
    const attempts = [
      call(here.orgAdmin, logs.get, { id: ofOther ?? '' }),
      call(admin, logs.get, { id: foreign ?? '' }),
      call(selected, logs.get, { id: ofPartner ?? '' }),
    ]
    for (const error of await Promise.all(attempts.map(refusal))) expect(error).toMatchObject({ status: 404 })
  })

  it('returns 403 when another partner is named', async () => {
    const partnerId = elsewhere.partner.id
    for (const endpoint of [logs.list, logs.recent, reports.stats, reports.compliance, logs.chain]) {
      expect(await refusal(call<'query', object, unknown, unknown>(admin, endpoint, { partnerId }))).toMatchObject({
        status: 403,
        message: 'Access denied to this partner',
      })
    }
  })

  it('limits members with limits to records of their own actions', async () => {
    const limited = await person(
      { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id },
      { role: 'Org Admin', siteIds: [here.site.id] },
    )
    await call(limited, sites.update, { id: here.site.id, address: { city: 'X' } })
    const { data } = await call(limited, logs.list, {})
    expect(data.map(({ actorId }) => actorId)).toEqual([limited.userId])
  })

  it('requires audit:read, and audit:export for exports', async () => {
    expect(await refusal(call(here.partnerViewer, logs.list, {}))).toMatchObject({ status: 403 })
    expect(await refusal(exported(here.partnerViewer, {}))).toMatchObject({ status: 403 })
  })
})

describe('lists of records', () => {
  it('can be filtered by each field', async () => {
    const name = word()
    const actorId = here.orgAdmin.userId
    const [first] = await recorded(1, { name, orgId: here.org.id, actorId, action: `${name}.create`, at: '2025-03-01' })
    const found = async (filters: object) => ids(await call(admin, logs.list, { resourceType: 'thing', ...filters }))
    const common = { from: '2025-02-28', to: '2025-03-02' }
    for (const filter of [
      { orgId: here.org.id },
      { actorId },
      { userId: actorId },
      { actorType: 'user' },
      { action: `${name}.create` },
      { result: 'success' },
    ]) {
      expect(await found({ ...common, ...filter })).toEqual([first])
    }
    for (const filter of [{ orgId: here.otherOrg.id }, { action: 'x.y' }, { result: 'denied' }, { to: '2025-03-01' }]) {
      expect(await found({ ...common, ...filter })).toEqual([])
    }
  })

  it('continue from a cursor without losing or repeating records, also at equal times', async () => {
    const at = '2025-04-01T00:00:00Z'
    const all = [...(await recorded(7, { at })), ...(await recorded(6, { at }))]
    const span = { from: '2025-04-01', to: '2025-04-02' }
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const slice = await call(admin, logs.recent, { ...span, limit: 3, cursor })
      seen.push(...ids(slice))
      cursor = slice.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(seen).toHaveLength(13)
    expect(new Set(seen)).toEqual(new Set(all))
    expect(ids(await call(admin, logs.list, { ...span, limit: 100 }))).toEqual(seen)
  })

  it('accept a cursor only for the same list and the same caller', async () => {
    await recorded(4)
    const { nextCursor } = await call(admin, logs.recent, { resourceType: 'thing', limit: 2 })
    const cursor = nextCursor ?? ''
    const attempts = [
      call(admin, logs.recent, { resourceType: 'other', limit: 2, cursor }),
      call(elsewhere.partnerAdmin, logs.recent, { resourceType: 'thing', limit: 2, cursor }),
      call(admin, logs.recent, { resourceType: 'thing', cursor: `${cursor.slice(0, -2)}AA` }),
    ]
    for (const error of await Promise.all(attempts.map(refusal))) {
      expect(error).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    }
  })
})

describe('search', () => {
  it('finds records by words or prefixes of words, newest first', async () => {
    const name = word()
    const [old, young] = await recorded(2, { name: `${name} of the tower` })
    const find = async (q: string, who = admin) => ids(await call(who, logs.search, { q }))
    expect(await find(name)).toEqual([young, old])
    expect(await find(`TOWER ${name.slice(0, 8)}`)).toEqual([young, old])
    expect(await find(`ann.smith@example.test ${name}`)).toEqual([young, old])
    expect(await find(`${name} nowhere`)).toEqual([])
    expect(await find(`'; DROP TABLE audit_logs; -- ${name}`)).toEqual([])
    expect(await find('& | ! ( ) : *')).toEqual([])
    expect(await find(name, elsewhere.partnerAdmin)).toEqual([])
    expect(await find(name, here.orgAdmin)).toEqual([])
  })

  it('searches the changed values', async () => {
    const name = word()
    await call(admin, organizations.update, { id: here.org.id, billingContact: { name } })
    expect((await call(admin, logs.search, { q: name })).data).toMatchObject([{ action: 'organization.update' }])
  })
})

async function exported(who: Person, input: object, endpoint = exports.download) {
  const operation = operations.find((one) => one.endpoint === endpoint)
  if (operation === undefined) throw new Error('no such operation')
  const reply = { header() {}, cookie() {} }
  const answer = (await run(operation, input, requestAs(who), reply, await testRuntime())) as RawAnswer
  let text = ''
  for await (const part of answer.body as AsyncIterable<string>) text += part
  return { headers: answer.headers, text }
}
const rowsOf = (text: string): string[][] => parse(text)

describe('exports', () => {
  it('contain all matching records as CSV or JSON, and are audited', async () => {
    const name = word()
    const all = await recorded(5, { name })
    const csv = await exported(admin, { q: name })
    expect(csv.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': expect.stringMatching(/^attachment; filename="muster-audit-.*\.csv"$/),
    })
    const [header, ...rows] = rowsOf(csv.text)
    expect(header?.slice(0, 3)).toEqual(['sequence', 'id', 'at'])
    expect(rows.map((row) => row[1])).toEqual(all)
    const json = await exported(admin, { q: name, resourceType: 'thing', format: 'json' }, exports.create)
    expect(JSON.parse(json.text)).toMatchObject({ complete: false, data: all.map((id) => ({ id })) })
    const { data } = await call(admin, logs.list, { action: 'audit.export', actorId: admin.userId })
    expect(data[0]?.details).toMatchObject({ format: 'json', filters: { q: name } })
  })

  it('are marked as complete only when they contain whole chains', async () => {
    await recorded(2, { orgId: here.org.id })
    const selected = await person(
      { scope: 'partner', partnerId: here.partner.id },
      { role: 'Partner Admin', orgAccess: 'selected', orgIds: [here.org.id] },
    )
    const isComplete = async (who: Person) => JSON.parse((await exported(who, { format: 'json' })).text).complete
    expect(await isComplete(admin)).toBe(true)
    for (const who of [here.orgAdmin, selected]) expect(await isComplete(who)).toBe(false)
  })

  it('can be longer than a page and are ordered by time', async () => {
    const all = await recorded(4_100, { at: '2025-05-01' })
    const { text } = await exported(admin, { from: '2025-05-01', to: '2025-05-02', format: 'json' })
    expect(ids(JSON.parse(text))).toEqual(all)
  })

  it('contain no cell that a spreadsheet would execute', async () => {
    const name = word()
    const evil = [
      `=cmd|' /C calc'!A0 ${name}`,
      `+1 ${name}`,
      `-1 ${name}`,
      `@SUM(A1) ${name}`,
      `\t=1 ${name}`,
      `'x ${name}`,
    ]
    for (const each of evil) await recorded(1, { name: each })
    const { text } = await exported(admin, { q: name })
    const [header, ...rows] = rowsOf(text)
    const column = header?.indexOf('resourceName') ?? -1
    const cells = rows.map((row) => row[column] ?? '')
    expect(cells.every((cell) => cell.startsWith("'"))).toBe(true)
    expect(cells.map(plainCell)).toEqual(evil)
  })

  it('contain only records within the caller’s reach', async () => {
    const name = word()
    await recorded(1, { name, orgId: here.otherOrg.id })
    await recorded(1, { name, partnerId: elsewhere.partner.id })
    const [mine] = await recorded(1, { name, orgId: here.org.id })
    expect(ids(JSON.parse((await exported(here.orgAdmin, { q: name, format: 'json' })).text))).toEqual([mine])
  })
})

describe('reports', () => {
  it('user activity: counts the actions, sign-ins and failures of each user', async () => {
    const there = await world()
    const who = there.partnerAdmin
    await call(who, sites.create, { orgId: there.org.id, name: 'One' })
    await recorded(2, { partnerId: there.partner.id, actorId: who.userId, action: 'user.login' })
    const { data, pagination } = await call(who, reports.userActivity, {})
    expect(pagination.total).toBe(1)
    expect(data[0]).toMatchObject({ actorId: who.userId, events: 3, changes: 1, signIns: 2, failures: 0 })
  })

  it('security events: counts and lists them by action', async () => {
    const there = await world()
    await recorded(2, { partnerId: there.partner.id, action: 'role.update' })
    await recorded(1, { partnerId: there.partner.id, action: 'user.login' })
    await recorded(3, { partnerId: there.partner.id, action: 'site.update' })
    const { counts, data, pagination } = await call(there.partnerAdmin, reports.securityEvents, {})
    expect(counts).toEqual([
      { name: 'role.update', count: 2 },
      { name: 'user.login', count: 1 },
    ])
    expect(data).toHaveLength(3)
    expect(pagination.total).toBe(3)
  })

  it('compliance: shows how access was managed, and since when records are kept', async () => {
    const there = await world()
    await recorded(1, { partnerId: there.partner.id, at: '2025-01-01', action: 'user.invite' })
    await recorded(2, { partnerId: there.partner.id, action: 'user.role.assign' })
    const report = await call(there.partnerAdmin, reports.compliance, {})
    expect(report).toMatchObject({
      records: 2,
      oldestAt: '2025-01-01T00:00:00.000Z',
      access: { rolesAssigned: 2, invited: 0 },
      byResource: [{ name: 'thing', count: 2 }],
    })
  })

  it('statistics: counts records by action, result, actor and day', async () => {
    const there = await world()
    await recorded(3, { partnerId: there.partner.id, at: '2025-06-01T10:00:00Z', action: 'a.b' })
    await recorded(1, { partnerId: there.partner.id, at: '2025-06-02T10:00:00Z', action: 'c.d' })
    const stats = await call(there.partnerAdmin, reports.stats, { from: '2025-06-01', to: '2025-07-01' })
    expect(stats).toMatchObject({
      total: 4,
      byAction: [
        { name: 'a.b', count: 3 },
        { name: 'c.d', count: 1 },
      ],
      byResult: [{ name: 'success', count: 4 }],
      byActor: [{ name: 'ann.smith@example.test', count: 4 }],
      byDay: [
        { name: '2025-06-01', count: 3 },
        { name: '2025-06-02', count: 1 },
      ],
    })
  })
})
