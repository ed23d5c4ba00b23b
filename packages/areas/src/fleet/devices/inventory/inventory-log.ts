import type { Inventory, SystemState } from '@muster/wire/messages/inventory.ts'
import type pg from 'pg'
import { z } from 'zod'
import { at } from '../../../background/job.ts'
import { softwareInstalled, softwareRemoved } from '../devices-events.contract.ts'
import { aboutDevice, keepEvents } from '../state/kept-events.ts'
import type { InventorySection } from './inventory.contract.ts'

const changesPerInventoryMax = 1_000
const keptDays = 365

type Section = z.infer<typeof InventorySection>
type Item = Readonly<Record<string, unknown>>

export interface InventoryChange {
  section: Section
  action: 'added' | 'removed' | 'changed'
  name: string
  before: Item | null
  after: Item | null
}

/** Fields that change by themselves are no change of the machine. */
const passing: Readonly<Record<Section, readonly string[]>> = {
  hardware: ['cpuMhz', 'battery'],
  disks: ['usedBytes'],
  network: ['up', 'addresses'],
  software: [],
  services: ['state'],
  users: ['loggedIn', 'lastLoginAt'],
  system: [],
  drivers: ['state'],
  updates: [],
  features: [],
}
const lists = ['disks', 'network', 'software', 'services', 'users'] as const
const systemLists = ['drivers', 'updates', 'features'] as const
const systemFields = ['timeZone', 'membership'] as const

type SystemPart = Pick<SystemState, (typeof systemLists)[number] | (typeof systemFields)[number]>
type Sections = Readonly<Record<(typeof lists)[number], readonly Item[]>> & {
  readonly hardware: Item
  readonly system?: SystemPart | undefined
}

/** The differences between two inventories of a device. */
export function inventoryChanges(before: Sections, after: Sections): InventoryChange[] {
  const [systemBefore, systemAfter] = [before.system ?? {}, after.system ?? {}]
  const found = fieldChanges('hardware', before.hardware, after.hardware)
  for (const section of lists) found.push(...listChanges(section, before[section], after[section]))
  // A part that only one of both agents reports is no change of the machine.
  for (const field of systemFields) {
    const [old, now] = [systemBefore[field], systemAfter[field]]
    if (old !== undefined && now !== undefined)
      found.push(...fieldChanges('system', { [field]: old }, { [field]: now }))
  }
  for (const section of systemLists) {
    const [old, now] = [systemBefore[section], systemAfter[section]]
    if (old !== undefined && now !== undefined) found.push(...listChanges(section, old, now))
  }
  return found.slice(0, changesPerInventoryMax)
}

function fieldChanges(section: Section, before: Item, after: Item): InventoryChange[] {
  const part = (item: Item, name: string) => (name in item ? { [name]: item[name] } : null)
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
    changeOf(section, name, part(before, name), part(after, name)),
  )
}

function listChanges(section: Section, before: readonly Item[], after: readonly Item[]): InventoryChange[] {
  const [old, now] = [byName(before), byName(after)]
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) =>
    changeOf(section, name, old.get(name) ?? null, now.get(name) ?? null),
  )
}

function changeOf(section: Section, name: string, before: Item | null, after: Item | null): InventoryChange[] {
  if (lasting(section, before) === lasting(section, after)) return []
  const action = before === null ? 'added' : after === null ? 'removed' : 'changed'
  return [{ section, action, name, before, after }]
}

/** The part of an item that does not change by itself, in canonical form. */
function lasting(section: Section, item: Item | null): string | null {
  if (item === null) return null
  const kept = Object.entries(item).filter(([key, value]) => value !== undefined && !passing[section].includes(key))
  return kept.length === 0 ? null : JSON.stringify(kept.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Items with the same name, such as a package for two architectures, get a number. */
function byName(items: readonly Item[]): Map<string, Item> {
  const named = new Map<string, Item>()
  for (const item of items) {
    const name = String(item.name ?? '')
    let key = name
    for (let copy = 2; named.has(key); copy++) key = `${name} (${copy})`
    named.set(key, item)
  }
  return named
}

interface StoredInventory extends Sections {
  device_id: string
  org_id: string
  partner_id: string
}

const readOld = {
  name: 'read-old-inventories',
  text: `SELECT i.device_id, i.org_id, i.partner_id, i.hardware, i.disks, i.network, i.software, i.services, i.users, i.system
    FROM unnest($1::uuid[], $2::text[], $3::float8[]) AS u(device_id, hash, at_ms) JOIN device_inventory i ON i.device_id = u.device_id
    WHERE i.hash <> u.hash AND i.collected_at <= to_timestamp(u.at_ms / 1000)`,
}

const writeLog = {
  name: 'write-inventory-log',
  text: `INSERT INTO device_inventory_log (device_id, org_id, partner_id, at, section, action, name, before, after)
    SELECT u.device_id, u.org_id, u.partner_id, to_timestamp(u.at_ms / 1000), u.section, u.action, u.name, u.before::jsonb, u.after::jsonb
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::float8[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
      AS u(device_id, org_id, partner_id, at_ms, section, action, name, before, after)`,
}

/** An inventory that a device has sent. */
interface Collected {
  readonly deviceId: string
  readonly atMs: number
  readonly body: Inventory
}

/**
 * Records the differences from the inventories that are about to be replaced.
 * @returns the sections that changed, by device
 */
export async function logInventoryChanges(
  client: pg.PoolClient,
  records: readonly Collected[],
): Promise<ReadonlyMap<string, ReadonlySet<Section>>> {
  const values = [
    records.map(({ deviceId }) => deviceId),
    records.map(({ body }) => body.hash),
    records.map(({ atMs }) => atMs),
  ]
  const { rows } = await client.query<StoredInventory>({ ...readOld, values })
  const news = new Map(records.map((record) => [record.deviceId, record]))
  const changes = rows.flatMap((old) => {
    const record = news.get(old.device_id)
    if (record === undefined) return []
    return inventoryChanges(old, record.body).map((change) => ({ ...change, old, atMs: record.atMs }))
  })
  if (changes.length === 0) return new Map()
  const json = (item: Item | null) => (item === null ? null : JSON.stringify(item))
  await client.query({
    ...writeLog,
    values: [
      changes.map(({ old }) => old.device_id),
      changes.map(({ old }) => old.org_id),
      changes.map(({ old }) => old.partner_id),
      changes.map(({ atMs }) => atMs),
      changes.map(({ section }) => section),
      changes.map(({ action }) => action),
      changes.map(({ name }) => name),
      changes.map(({ before }) => json(before)),
      changes.map(({ after }) => json(after)),
    ],
  })
  const byDevice = Map.groupBy(changes, ({ old }) => old.device_id)
  await keepEvents(
    client,
    [...byDevice].flatMap(([deviceId, own]) => softwareEvents(deviceId, own, news.get(deviceId)?.body.software ?? [])),
  )
  return new Map([...byDevice].map(([id, own]) => [id, new Set(own.map(({ section }) => section))]))
}

interface LoggedChange extends InventoryChange {
  readonly old: StoredInventory
}

/** What was installed and removed, the first changes of many. A list that was empty was not read, and one that is empty neither. */
function softwareEvents(deviceId: string, changes: readonly LoggedChange[], now: readonly Item[]) {
  if (now.length === 0 || changes[0]?.old.software.length === 0) return []
  const found = changes.flatMap(({ section, action, name, before, after }) => {
    if (section !== 'software' || action === 'changed') return []
    const version = Version.parse(after ?? before).version ?? null
    return [aboutDevice(action === 'added' ? softwareInstalled : softwareRemoved, deviceId, { name, version })]
  })
  return found.slice(0, softwareEventsMax)
}

const Version = z.object({ version: z.string().nullish() })
const softwareEventsMax = 200

/** Deletes changes that are older than a year. */
export async function forgetInventoryChanges(pool: pg.Pool): Promise<void> {
  await pool.query(`DELETE FROM device_inventory_log WHERE at < now() - interval '${keptDays} days'`)
}

export const forgetChanges = at('49 2 * * *', 'forget-inventory-changes', ({ pool }) => forgetInventoryChanges(pool))
