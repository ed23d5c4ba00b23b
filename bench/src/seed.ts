import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { fleetTenants, idOf, tenantOf } from './fleet-files.ts'

const linesPerChunk = 2_000

/** Empties the tables of devices and fills them with enrolled agents of twenty partners, as the tables' owner. */
export async function seed(owner: pg.Client, agents: number): Promise<void> {
  await owner.query(
    'TRUNCATE device_metrics, devices, device_groups, device_group_log, device_policies, device_policy_sets, stream_positions, audit_logs CASCADE',
  )
  await owner.query('SELECT ensure_metric_partitions(2)')
  await seedTenants(owner)
  await copy(
    owner,
    'devices (id, org_id, partner_id, site_id, hostname, os_type, architecture, enrolled_at)',
    agents,
    (agent) => {
      const { org, partner } = tenantOf(agent)
      const ids = [idOf('device', agent), idOf('org', org), idOf('partner', partner), idOf('site', org)]
      return `${ids.join('\t')}\thost-${agent}.example\tlinux\tx64\tnow`
    },
  )
  await copy(owner, 'device_state (device_id, org_id, partner_id)', agents, (agent) => {
    const { org, partner } = tenantOf(agent)
    return [idOf('device', agent), idOf('org', org), idOf('partner', partner)].join('\t')
  })
  await owner.query('VACUUM ANALYZE devices, device_state')
}

async function seedTenants(owner: pg.Client): Promise<void> {
  for (let partner = 0; partner < fleetTenants.partners; partner++) {
    const values = [idOf('partner', partner), `Bench partner ${partner}`, `bench-${partner}`]
    await owner.query(
      `INSERT INTO partners (id, name, slug, status) VALUES ($1, $2, $3, 'active') ON CONFLICT DO NOTHING`,
      values,
    )
  }
  for (let org = 0; org < fleetTenants.orgs; org++) {
    const ids = [idOf('org', org), idOf('partner', tenantOf(org).partner)]
    await owner.query(
      'INSERT INTO organizations (id, partner_id, name, slug) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
      [...ids, `Bench organization ${org}`, `bench-${org}`],
    )
    await owner.query(
      'INSERT INTO sites (id, org_id, partner_id, name) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
      [idOf('site', org), ...ids, 'Main site'],
    )
  }
}

async function copy(owner: pg.Client, into: string, rows: number, rowOf: (row: number) => string): Promise<void> {
  function* lines() {
    for (let from = 0; from < rows; from += linesPerChunk) {
      const count = Math.min(linesPerChunk, rows - from)
      yield `${Array.from({ length: count }, (_, index) => rowOf(from + index)).join('\n')}\n`
    }
  }
  await pipeline(Readable.from(lines()), owner.query(copyFrom(`COPY ${into} FROM STDIN`)))
}
