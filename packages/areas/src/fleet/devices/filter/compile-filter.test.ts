import { randomUUID } from 'node:crypto'
import { asSystem } from '@muster/db/database.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FieldName, fields, operatorsOf } from '../../filter-language/fields.contract.ts'
import { type Filter, FilterExpression, fieldsUsed, filterDepthMax } from '../../filter-language/filter.contract.ts'
import { compileFilter } from './compile-filter.ts'

const samples = {
  text: 'a%_\\\'"',
  number: 3.5,
  boolean: true,
  id: randomUUID(),
  time: '2026-01-01T00:00:00Z',
  version: '1.2.3',
  tags: ['a'],
  items: 'x',
  choice: '',
}

/** A valid value for a field and operator. */
function sampleValue(name: FieldName, op: string) {
  const { type, values } = fields[name] as { type: keyof typeof samples; values?: readonly string[] }
  if (op === 'isSet' || op === 'isNotSet') return undefined
  if (op === 'between') return [1, 2]
  if (op === 'withinLast' || op === 'notWithinLast') return 60
  const one = type === 'choice' ? (values?.[0] ?? '') : samples[type]
  return op === 'in' || op === 'notIn' ? [one as string] : one
}

describe('each filter field', () => {
  const compiled = (name: FieldName) => {
    const [op = ''] = operatorsOf[fields[name].type]
    const filter = FilterExpression.parse({ field: name, op, value: sampleValue(name, op) })
    return compileFilter(filter).toOperationNode()
  }
  it.each(Object.keys(fields) as FieldName[])('%s names the table that it is read from', (name) => {
    const text = JSON.stringify(compiled(name))
    const source = text.includes('device_inventory')
      ? 'inventory'
      : /"state\b|\bstate\./.test(text)
        ? 'state'
        : 'device'
    expect(fields[name].source).toBe(source)
  })
})

describe('filters', async () => {
  const { system } = await testServices()
  const here = await world()
  const matching = (filter: Filter) =>
    asSystem(system, (db) =>
      db
        .selectFrom('devices')
        .leftJoin('deviceState as state', 'state.deviceId', 'devices.id')
        .select('devices.hostname')
        .where('devices.orgId', '=', here.org.id)
        .where(compileFilter(FilterExpression.parse(filter)))
        .orderBy('devices.hostname')
        .execute(),
    ).then((rows) => rows.map((row) => row.hostname))

  const add = (
    hostname: string,
    device: { agentVersion?: string; tags?: string[]; osType?: 'linux' },
    cpuPercent: number | null,
    software: string[],
  ) =>
    asSystem(system, async (db) => {
      const tenant = { orgId: here.org.id, partnerId: here.partner.id }
      const { id } = await db
        .insertInto('devices')
        .values({ ...tenant, hostname, ...device })
        .returning('id')
        .executeTakeFirstOrThrow()
      await db
        .insertInto('deviceState')
        .values({ ...tenant, deviceId: id, status: 'online', cpuPercent, memoryUsed: 50, memoryTotal: 100 })
        .execute()
      await db
        .insertInto('deviceInventory')
        .values({
          ...tenant,
          deviceId: id,
          hash: 'h',
          collectedAt: new Date().toISOString(),
          hardware: { cpuCores: 4 },
          software: JSON.stringify(software.map((name) => ({ name }))),
        })
        .execute()
    })
  await add('alpha', { agentVersion: '1.10.0', tags: ['lab', 'eu'], osType: 'linux' }, 90, ['nginx', 'curl'])
  await add('beta', { agentVersion: '1.9.3', tags: ['eu'] }, 10, ['apache2'])
  await add('gamma', {}, null, [])

  it('compare text case-insensitively and without patterns', async () => {
    expect(await matching({ field: 'hostname', op: 'is', value: 'ALPHA' })).toEqual(['alpha'])
    expect(await matching({ field: 'hostname', op: 'contains', value: '%' })).toEqual([])
    expect(await matching({ field: 'hostname', op: 'in', value: ['alpha', 'Gamma'] })).toEqual(['alpha', 'gamma'])
  })
  it('compare versions by their numbers', async () => {
    expect(await matching({ field: 'agentVersion', op: 'atLeast', value: '1.10' })).toEqual(['alpha'])
    expect(await matching({ field: 'agentVersion', op: 'lessThan', value: '1.10' })).toEqual(['beta'])
  })
  it('include devices without a value in a negation', async () => {
    expect(await matching({ field: 'agentVersion', op: 'isNot', value: '1.9.3' })).toEqual(['alpha', 'gamma'])
    expect(await matching({ not: { field: 'cpuPercent', op: 'atLeast', value: 50 } })).toEqual(['beta', 'gamma'])
  })
  it('can be combined, and read inventories', async () => {
    expect(
      await matching({
        any: [
          { field: 'software.name', op: 'has', value: 'NGINX' },
          { field: 'tags', op: 'hasAll', value: ['eu', 'lab'] },
        ],
      }),
    ).toEqual(['alpha'])
    expect(
      await matching({
        all: [
          { field: 'software.name', op: 'hasNot', value: 'nginx' },
          { field: 'tags', op: 'hasAny', value: ['eu'] },
        ],
      }),
    ).toEqual(['beta'])
    expect(
      await matching({
        all: [
          { field: 'memoryPercent', op: 'between', value: [40, 60] },
          { field: 'cpuCores', op: 'is', value: 4 },
        ],
      }),
    ).toHaveLength(3)
    expect(await matching({ field: 'status', op: 'is', value: 'online' })).toHaveLength(3)
  })
  it('compile for each field and operator to a query that runs', async () => {
    expect(Object.keys(fields).length).toBeGreaterThanOrEqual(60)
    for (const name of Object.keys(fields) as FieldName[]) {
      for (const op of operatorsOf[fields[name].type]) {
        const value = sampleValue(name, op)
        await expect(
          matching({ field: name, op, ...(value === undefined ? {} : { value }) }),
          `${name} ${op}`,
        ).resolves.toBeDefined()
      }
    }
  })
  it('are rejected with the problem and its location', () => {
    const fault = (filter: unknown) => FilterExpression.safeParse(filter).error?.issues[0]
    expect(fault({ all: [{ field: 'hostname', op: 'atLeast', value: 1 }] })).toMatchObject({
      path: ['all', 0],
      message: expect.stringMatching(/^atLeast cannot be used with hostname; use is, /),
    })
    expect(fault({ field: 'color', op: 'is', value: 'x' })?.message).toBe('there is no field color')
    expect(fault({ field: 'status', op: 'is', value: 'asleep' })?.message).toMatch(/^the value must be one of online, /)
  })
  it('are rejected without recursion when too deep or too large', () => {
    let deep: Filter = { field: 'hostname', op: 'isSet' }
    for (let depth = 0; depth < 50_000; depth++) deep = { not: deep }
    expect(FilterExpression.safeParse(deep).error?.issues[0]?.message).toContain(`nested ${filterDepthMax} deep`)
    expect(
      FilterExpression.safeParse({ all: Array.from({ length: 200 }, () => ({ field: 'hostname', op: 'isSet' })) })
        .success,
    ).toBe(false)
  })
  it('are rejected when they are arbitrary other values', () => {
    fc.assert(fc.property(fc.jsonValue(), (given) => void FilterExpression.safeParse(given)))
  })
  it('pass text to the database as parameters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (value) => {
        const parsed = FilterExpression.safeParse({ field: 'hostname', op: 'contains', value })
        if (parsed.success) await matching(parsed.data)
      }),
      { numRuns: 50 },
    )
  })
  it('report the fields that they depend on', () => {
    expect([
      ...fieldsUsed({ all: [{ field: 'tags', op: 'isSet' }, { not: { field: 'osType', op: 'is', value: 'linux' } }] }),
    ]).toEqual(['tags', 'osType'])
  })
})
