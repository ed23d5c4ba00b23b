// Devices of one partner with inventories and answered facts, and policies that a twentieth of them does not keep.
import { factKey } from '@muster/areas/control/facts/index.ts'
import type pg from 'pg'
import type { ApiClient } from './api-client.ts'
import { idOf } from './fleet-files.ts'

/** Of the fleet's organizations: those of the partner of these policies come after them. */
const firstOrg = 1_000
const orgCount = 200
const mounts = 10
const services = 20
const atOnce = 8

const serviceFact = (service: number) => ({ type: 'service' as const, name: `service-${service}` })
const mountPoint = (mount: number): string => `/volume-${mount}`

/** A rule of every kind in turn. Names are spread so that another twentieth of the devices does not keep each of them. */
function ruleOf(index: number) {
  const key = `rule-${index}`
  switch (index % 10) {
    case 0:
    case 1:
    case 2:
    case 3:
      return { key, type: 'software.required', software: `package-${index % 100}` }
    case 4:
    case 5:
    case 6:
      return { key, type: 'software.prohibited', software: `game-${index % 100}` }
    case 7:
      return { key, type: 'disk.free', mount: mountPoint(Math.floor(index / 10) % mounts), minPercent: 5 }
    case 8:
      return { key, type: 'os.version', min: '6.5' }
    default:
      return { key, type: 'service', service: serviceFact(Math.floor(index / 10) % services).name, state: 'running' }
  }
}

export const policyPartner = idOf('partner', 0)

/** Moves all devices to one partner, with what they would have reported. One in twenty does not keep a rule. */
export async function seedPolicyFleet(owner: pg.Client, devices: number): Promise<void> {
  await owner.query('CREATE TEMPORARY TABLE fleet (n int PRIMARY KEY, id uuid, org_id uuid, site_id uuid)')
  const orgs = Array.from({ length: orgCount }, (_, org) => idOf('org', firstOrg + org))
  await owner.query(
    `INSERT INTO organizations (id, partner_id, name, slug)
     SELECT id, $2, 'Policy organization ' || n, 'policies-' || n FROM unnest($1::uuid[]) WITH ORDINALITY AS u(id, n) ON CONFLICT DO NOTHING`,
    [orgs, policyPartner],
  )
  await owner.query(
    `INSERT INTO sites (org_id, partner_id, name)
     SELECT id, $2, 'Main site' FROM unnest($1::uuid[]) AS u(id) WHERE NOT EXISTS (SELECT FROM sites s WHERE s.org_id = u.id)`,
    [orgs, policyPartner],
  )
  await owner.query(
    `INSERT INTO fleet SELECT d.n - 1, d.id, o.id, (SELECT s.id FROM sites s WHERE s.org_id = o.id LIMIT 1)
     FROM unnest($1::uuid[]) WITH ORDINALITY AS d(id, n) JOIN unnest($2::uuid[]) WITH ORDINALITY AS o(id, n) ON o.n = 1 + d.n % $3`,
    [Array.from({ length: devices }, (_, index) => idOf('device', index)), orgs, orgCount],
  )
  await owner.query('TRUNCATE devices, device_policies, device_policy_sets CASCADE')
  await owner.query(
    `INSERT INTO devices (id, org_id, partner_id, site_id, hostname, os_type, os_version, architecture, enrolled_at)
     SELECT id, org_id, $1, site_id, 'host-' || n, 'linux', CASE WHEN n % 20 = 8 THEN '6.1.0' ELSE '6.8.0' END, 'x64', now() FROM fleet`,
    [policyPartner],
  )
  await owner.query('INSERT INTO device_state (device_id, org_id, partner_id) SELECT id, org_id, $1 FROM fleet', [
    policyPartner,
  ])
  await owner.query(
    `INSERT INTO device_inventory (device_id, org_id, partner_id, hash, collected_at, software, disks)
     SELECT id, org_id, $1, 'first', now(),
       (SELECT jsonb_agg(jsonb_build_object('name', kind || p, 'version', '1.' || p || '.' || n % 7, 'publisher', 'Publisher of ' || p))
        FROM generate_series(0, 99) p, (VALUES ('package-'), ('game-')) k(kind) WHERE (kind = 'game-') = ((n + p) % 20 = 0)),
       (SELECT jsonb_agg(jsonb_build_object('mount', '/volume-' || m, 'totalBytes', 1000, 'usedBytes', CASE WHEN (n + m) % 20 = 0 THEN 980 ELSE 400 END))
        FROM generate_series(0, $2 - 1) m)
     FROM fleet`,
    [policyPartner, mounts],
  )
  await answerFacts(owner)
  await owner.query('DROP TABLE fleet')
  await owner.query('VACUUM ANALYZE devices, device_state, device_inventory, device_facts, device_assignments')
}

/** As if the devices had been asked before, and answered. */
async function answerFacts(owner: pg.Client): Promise<void> {
  const facts = Array.from({ length: services }, (_, index) => ({
    id: factKey(serviceFact(index)),
    fact: serviceFact(index),
  }))
  await owner.query(
    `INSERT INTO device_assignments (device_id, kind, org_id, partner_id, items, due_at)
     SELECT id, 'facts', org_id, $1, $2, NULL FROM fleet`,
    [policyPartner, JSON.stringify(facts.toSorted((a, b) => (a.id < b.id ? -1 : 1)))],
  )
  await owner.query(
    `INSERT INTO device_facts (device_id, fact_key, org_id, partner_id, value, observed_at)
     SELECT f.id, s.key, f.org_id, $1, jsonb_build_object('type', 'service', 'state', CASE WHEN (f.n + s.place) % 20 = 0 THEN 'stopped' ELSE 'running' END), now()
     FROM fleet f, unnest($2::text[]) WITH ORDINALITY AS s(key, place)`,
    [policyPartner, facts.map(({ id }) => id)],
  )
}

/** Creates drafts. @returns their ids */
export async function makePolicies(api: ApiClient, count: number): Promise<string[]> {
  const ids: string[] = []
  const left = Array.from({ length: count }, (_, index) => index)
  const work = async () => {
    for (let index = left.pop(); index !== undefined; index = left.pop()) {
      const { status, body } = await api.send('POST', 'policies', {
        partnerId: policyPartner,
        name: `Policy ${index}`,
        assignments: [{ level: 'partner', id: policyPartner }],
        rules: [ruleOf(index)],
      })
      if (status !== 201 || typeof body !== 'object' || body === null || !('id' in body))
        throw new Error(`a policy was answered with ${status} ${JSON.stringify(body)}`)
      ids[index] = String(body.id)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return ids
}

const changesOfKind = {
  disks: `UPDATE device_inventory SET hash = $2::text, updated_at = now(),
      disks = jsonb_set(disks, '{3,usedBytes}', (CASE WHEN $3::boolean THEN '990' ELSE '410' END)::jsonb)
    WHERE device_id = ANY ($1::uuid[])`,
  software: `UPDATE device_inventory SET hash = $2::text, updated_at = now(),
      software = CASE WHEN $3::boolean THEN software - 50 ELSE jsonb_set(software, '{50,version}', '"2.0"') END
    WHERE device_id = ANY ($1::uuid[])`,
  system: `UPDATE devices SET os_version = CASE WHEN $3::boolean THEN '6.2.' ELSE '6.9.' END || length($2::text) WHERE id = ANY ($1::uuid[])`,
  facts: `UPDATE device_facts SET observed_at = now(), value = jsonb_build_object('type', 'service', 'detail', $2::text,
      'state', CASE WHEN $3::boolean THEN 'stopped' ELSE 'running' END)
    WHERE device_id = ANY ($1::uuid[]) AND fact_key = '${factKey(serviceFact(7))}'`,
}
const kinds = Object.values(changesOfKind)

/** Changes one thing of each of these devices, of one kind. One in twenty stops to keep a policy. */
export async function changeDevices(owner: pg.Client, turn: number, ids: readonly string[]): Promise<void> {
  const text = kinds[turn % kinds.length] ?? ''
  await owner.query(text, [ids, `change ${turn}`, Math.floor(turn / kinds.length) % 20 === 0])
}

/** From the commit of the last change of each device to that of its evaluation, in microseconds, by PostgreSQL's own times. */
export async function evaluationLags(owner: pg.Client, ids: readonly string[]): Promise<number[]> {
  const { rows } = await owner.query<{ micros: string }>(
    `SELECT extract(epoch FROM pg_xact_commit_timestamp(s.xmin) - greatest(pg_xact_commit_timestamp(i.xmin),
        pg_xact_commit_timestamp(d.xmin), pg_xact_commit_timestamp(f.xmin))) * 1e6 AS micros
     FROM device_policy_states s JOIN devices d ON d.id = s.device_id JOIN device_inventory i ON i.device_id = s.device_id
     JOIN device_facts f ON f.device_id = s.device_id AND f.fact_key = $2 WHERE s.device_id = ANY ($1::uuid[])`,
    [ids, factKey(serviceFact(7))],
  )
  return rows.map(({ micros }) => Number(micros))
}

/** How many devices were evaluated with this number of policies, or with this one. */
export async function evaluatedWith(owner: pg.Client, policies: number | string): Promise<number> {
  const { rows } = await owner.query<{ count: string }>(
    `SELECT count(*) AS count FROM device_policy_states s WHERE s.set_id IN (SELECT e.id FROM device_policy_sets e
     WHERE ${typeof policies === 'number' ? 'cardinality(e.applied) = $1' : 'e.applied @> ARRAY[$1::uuid]'})`,
    [policies],
  )
  return Number(rows[0]?.count ?? 0)
}
