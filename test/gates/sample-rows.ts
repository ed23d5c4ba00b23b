// One row in every table for each of two imaginary tenants, so isolation is tested on every table, including new ones.
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Column, Table } from './pg-catalog.ts'

/** The ids of one tenant's rows, by table. */
export interface Tenant {
  readonly ids: ReadonlyMap<string, string>
  readonly partner: string
  readonly org: string
  readonly user: string
}

export function imaginaryTenant(tables: readonly Table[]): Tenant {
  const ids = new Map(tables.map(({ name }) => [name, randomUUID()]))
  const of = (table: string) => ids.get(table) ?? randomUUID()
  return { ids, partner: of('partners'), org: of('organizations'), user: of('users') }
}

const tenantColumns: Readonly<Record<string, string>> = {
  partner_id: 'partners',
  org_id: 'organizations',
  user_id: 'users',
  owner_id: 'users',
  device_id: 'devices',
}

/** Columns whose value depends on other columns by a constraint. */
const ruled: Readonly<Record<string, (tenant: Tenant) => string | null>> = {
  'audit_chains.chain_id': ({ partner }) => partner,
  'automations.actions': () => '[{"type": "wait", "seconds": 1}]',
  'automations.trigger': () => '{"type": "manual"}',
  'command_approvals.plan': () => '{}',
  'deployments.ordered': () => '{"kind": "command"}',
  'device_facts.fact_key': () => '0'.repeat(32),
  'device_policy_exceptions.group_id': () => null,
  'monitor_rollups.seconds': () => '300',
}

function plainValue({ type, allowed }: Column): unknown {
  if (allowed[0] !== undefined) return type.endsWith('[]') ? [] : allowed[0]
  if (type.endsWith('[]')) return []
  if (/^(smallint|integer|bigint|real|double precision|numeric)$/.test(type)) return 1
  if (/^timestamp|^date/.test(type)) return '2026-01-01T00:00:00Z'
  switch (type) {
    case 'uuid':
      return randomUUID()
    case 'boolean':
      return false
    case 'jsonb':
      return '{}'
    case 'bytea':
      return Buffer.alloc(1)
    case 'inet':
      return '192.0.2.1'
    default:
      return `x${randomUUID().slice(0, 8)}`
  }
}

function sampleOf(table: Table, column: Column, tenant: Tenant): unknown {
  if (column.name === 'id' && column.type === 'uuid') return tenant.ids.get(table.name)
  const rule = ruled[`${table.name}.${column.name}`]
  if (rule !== undefined) return rule(tenant)
  const source = column.pointsAt ?? tenantColumns[column.name]
  if (column.type === 'uuid' && source !== undefined && source !== table.name) return tenant.ids.get(source)
  return column.needed ? plainValue(column) : undefined
}

/** Inserts the rows with foreign keys disabled, because only their visibility matters here. */
export async function insertSamples(owner: pg.Client, tables: readonly Table[], tenant: Tenant): Promise<void> {
  await owner.query('SET session_replication_role = replica')
  for (const table of tables) {
    const given = table.columns.flatMap((column) => {
      const value = sampleOf(table, column, tenant)
      return value === undefined ? [] : [{ name: column.name, value }]
    })
    const names = given.map(({ name }) => `"${name}"`).join(', ')
    const places = given.map((_, index) => `$${index + 1}`).join(', ')
    try {
      await owner.query(
        `INSERT INTO ${table.name} (${names}) VALUES (${places})`,
        given.map(({ value }) => value),
      )
    } catch (cause) {
      throw new Error(`no sample row for ${table.name}: add its values to test/gates/sample-rows.ts`, {
        cause,
      })
    }
  }
  await owner.query('SET session_replication_role = DEFAULT')
}
