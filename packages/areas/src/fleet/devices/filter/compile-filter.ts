// Compiles a filter to a condition of a query over `devices` joined with `device_state as state`.
// All values are bound parameters and text is compared without patterns, so a value can neither inject SQL nor be slow.
import { invariant } from '@muster/kit/errors.ts'
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { type FieldName, fields, isFieldName } from '../../filter-language/fields.contract.ts'
import { type Comparison, customKeyOf, type Filter, type FilterValue } from '../../filter-language/filter.contract.ts'
import { deviceStatusSql } from './status.sql.ts'

type Sql = RawBuilder<unknown>
type Condition = RawBuilder<SqlBool>

const hardware = (key: string) =>
  sql`(SELECT i.hardware ->> ${sql.lit(key)} FROM device_inventory i WHERE i.device_id = devices.id)`
const hardwareNumber = (key: string) =>
  sql`(SELECT (i.hardware ->> ${sql.lit(key)})::numeric FROM device_inventory i WHERE i.device_id = devices.id)`
const countOf = (column: string) =>
  sql`(SELECT jsonb_array_length(${sql.ref(`i.${column}`)}) FROM device_inventory i WHERE i.device_id = devices.id)`
const percentOf = (used: Sql, total: Sql) => sql`(100.0 * ${used} / nullif(${total}, 0))`
const column = (name: string) => sql`${sql.ref(name)}`

type NameOfItems = { [Name in FieldName]: (typeof fields)[Name]['type'] extends 'items' ? Name : never }[FieldName]
/** Memberships have a special condition. */
type NameOfOne = Exclude<FieldName, NameOfItems | 'groupId'>

/** Fields with one value per device. */
const single: Record<NameOfOne, Sql> = {
  hostname: column('devices.hostname'),
  displayName: column('devices.display_name'),
  status: deviceStatusSql,
  organizationId: column('devices.org_id'),
  siteId: column('devices.site_id'),
  osType: column('devices.os_type'),
  osName: column('devices.os_name'),
  osVersion: column('devices.os_version'),
  kernelVersion: column('devices.kernel_version'),
  architecture: column('devices.architecture'),
  agentVersion: column('devices.agent_version'),
  autoUpdate: column('devices.auto_update'),
  machineId: column('devices.machine_id'),
  enrolledAt: column('devices.enrolled_at'),
  createdAt: column('devices.created_at'),
  updatedAt: column('devices.updated_at'),
  tags: column('devices.tags'),
  openAlerts: sql`(SELECT count(*) FROM alerts a WHERE a.device_id = devices.id AND a.status <> 'resolved')`,
  inMaintenance: sql`(devices.id IN (SELECT device_id FROM devices_in_maintenance))`,
  lastSeenAt: column('state.last_seen_at'),
  statusAt: column('state.status_at'),
  mainAgentSilentSince: column('state.main_agent_silent_since'),
  watchdogStatus: column('state.watchdog_status'),
  cpuPercent: column('state.cpu_percent'),
  memoryUsed: column('state.memory_used'),
  memoryTotal: column('state.memory_total'),
  memoryPercent: percentOf(column('state.memory_used'), column('state.memory_total')),
  memoryFree: sql`(state.memory_total - state.memory_used)`,
  diskUsed: column('state.disk_used'),
  diskTotal: column('state.disk_total'),
  diskPercent: percentOf(column('state.disk_used'), column('state.disk_total')),
  diskFree: sql`(state.disk_total - state.disk_used)`,
  load1m: column('state.load_1m'),
  uptimeSeconds: column('state.uptime_seconds'),
  networkRxBytes: column('state.network_rx_bytes'),
  networkTxBytes: column('state.network_tx_bytes'),
  processCount: column('state.process_count'),
  inventoryCollectedAt: sql`(SELECT i.collected_at FROM device_inventory i WHERE i.device_id = devices.id)`,
  manufacturer: hardware('manufacturer'),
  model: hardware('model'),
  serialNumber: hardware('serialNumber'),
  chassis: hardware('chassis'),
  virtual: sql`(SELECT (i.hardware ->> 'virtual')::boolean FROM device_inventory i WHERE i.device_id = devices.id)`,
  biosVendor: hardware('biosVendor'),
  biosVersion: hardware('biosVersion'),
  cpuModel: hardware('cpuModel'),
  cpuCores: hardwareNumber('cpuCores'),
  cpuThreads: hardwareNumber('cpuThreads'),
  cpuMhz: hardwareNumber('cpuMhz'),
  installedMemory: hardwareNumber('memoryBytes'),
  softwareCount: countOf('software'),
  serviceCount: countOf('services'),
  diskCount: countOf('disks'),
}

const member =
  (list: string, key: string, further: Sql = sql``) =>
  (matches: (value: Sql) => Condition): Condition =>
    sql<SqlBool>`EXISTS (SELECT FROM device_inventory i, jsonb_array_elements(${sql.ref(`i.${list}`)}) AS item
    WHERE i.device_id = devices.id AND ${matches(sql`(item ->> ${sql.lit(key)})`)} ${further})`

/** Fields with several values per device. The condition holds when one of them matches. */
const items: Record<NameOfItems, (matches: (value: Sql) => Condition) => Condition> = {
  'software.name': member('software', 'name'),
  'software.publisher': member('software', 'publisher'),
  'services.name': member('services', 'name'),
  'services.running': member('services', 'name', sql`AND item ->> 'state' = 'running'`),
  'services.stopped': member('services', 'name', sql`AND item ->> 'state' <> 'running'`),
  'disks.fileSystem': member('disks', 'fileSystem'),
  'disks.mount': member('disks', 'mount'),
  'network.mac': member('network', 'mac'),
  'network.interface': member('network', 'name'),
  'network.address': (matches) =>
    sql<SqlBool>`EXISTS (SELECT FROM device_inventory i, jsonb_array_elements(i.network) AS item,
      jsonb_array_elements_text(coalesce(item -> 'addresses', '[]')) AS address WHERE i.device_id = devices.id AND ${matches(sql`address`)})`,
  'users.name': member('users', 'name'),
  'users.admin': member('users', 'name', sql`AND item -> 'admin' = 'true'`),
  'users.loggedIn': member('users', 'name', sql`AND item -> 'loggedIn' = 'true'`),
  'graphics.model': (matches) =>
    sql<SqlBool>`EXISTS (SELECT FROM device_inventory i, jsonb_array_elements_text(coalesce(i.hardware -> 'graphics', '[]')) AS card
      WHERE i.device_id = devices.id AND ${matches(sql`card`)})`,
}

const many = (value: FilterValue | undefined) => (Array.isArray(value) ? value : [value])
const contains = (target: Sql, value: FilterValue | undefined): Condition =>
  sql<SqlBool>`strpos(lower(${target}), lower(${value}::text)) > 0`
/** A version as a list of numbers, so that 1.10 is after 1.9. Text behind the numbers is ignored. */
const versionOf = (target: Sql) =>
  sql`string_to_array(substring(${target} FROM '^[0-9]{1,9}(?:[.][0-9]{1,9}){0,7}'), '.')::int[]`
const comparisons: Record<string, string> = { atLeast: '>=', atMost: '<=', moreThan: '>', lessThan: '<' }

function textual(target: Sql, { op, value }: Comparison): Condition {
  const lowered = sql`lower(${target})`
  switch (op) {
    case 'is':
      return sql`${lowered} = lower(${value}::text)`
    case 'contains':
      return contains(target, value)
    case 'startsWith':
      return sql`starts_with(${lowered}, lower(${value}::text))`
    case 'endsWith':
      return sql`right(${lowered}, length(${value}::text)) = lower(${value}::text)`
    default:
      return sql`${lowered} = ANY (SELECT lower(given) FROM unnest(${many(value)}::text[]) AS given)`
  }
}

const casts = {
  choice: 'text',
  id: 'uuid',
  number: 'numeric',
  time: 'timestamptz',
  boolean: 'boolean',
  text: 'text',
} as const

/** The positive form of a comparison. Negation happens in one place, so that a missing value counts as "not". */
function positive(target: Sql, type: (typeof fields)[FieldName]['type'], comparison: Comparison): Condition {
  const { op, value } = comparison
  const order = comparisons[op]
  switch (type) {
    case 'text':
      return textual(target, comparison)
    case 'version': {
      const given = versionOf(sql`${value}::text`)
      return order === undefined
        ? sql`${versionOf(target)} = ${given}`
        : sql`${versionOf(target)} ${sql.raw(order)} ${given}`
    }
    case 'tags':
      return op === 'hasAll' ? sql`${target} @> ${many(value)}::text[]` : sql`${target} && ${many(value)}::text[]`
    case 'time':
      if (op === 'before' || op === 'after')
        return sql`${target} ${sql.raw(op === 'before' ? '<' : '>')} ${value}::timestamptz`
      return sql`${target} > now() - make_interval(secs => ${value}::double precision)`
    case 'items':
      invariant(false, 'items are compared one by one')
      break
    case 'boolean':
    case 'choice':
    case 'id':
    case 'number':
      if (op === 'between') return sql`${target} BETWEEN ${many(value)[0]}::numeric AND ${many(value)[1]}::numeric`
      if (order !== undefined) return sql`${target} ${sql.raw(order)} ${value}::numeric`
      if (op === 'in') return sql`${target} = ANY (${many(value)}::${sql.raw(casts[type])}[])`
      return sql`${target} = ${value}::${sql.raw(casts[type])}`
  }
}

const opposites: Record<string, string> = {
  isNot: 'is',
  notContains: 'contains',
  notIn: 'in',
  hasNone: 'hasAny',
  hasNot: 'has',
  notWithinLast: 'withinLast',
}
const not = (condition: Condition): Condition => sql<SqlBool>`(${condition}) IS NOT TRUE`

const hasItems = (name: FieldName): name is NameOfItems => Object.hasOwn(items, name)

function ofGroup({ value }: Comparison): Condition {
  return sql`EXISTS (SELECT FROM device_group_members m WHERE m.device_id = devices.id AND m.group_id = ANY (${many(value)}::uuid[]))`
}

function compare(given: Comparison, custom: CustomTypes): Condition {
  const { op } = given
  const opposite = opposites[op]
  if (opposite !== undefined) return not(compare({ ...given, op: opposite }, custom))
  if (op === 'isNotSet') return not(compare({ ...given, op: 'isSet' }, custom))
  const key = customKeyOf(given.field)
  if (key !== null) return compareCustom(key, given, custom)
  invariant(isFieldName(given.field), `the filter was checked, so ${given.field} exists`)
  if (given.field === 'groupId')
    return op === 'isSet'
      ? sql`EXISTS (SELECT FROM device_group_members m WHERE m.device_id = devices.id)`
      : ofGroup(given)
  if (hasItems(given.field)) return items[given.field]((value) => contains(value, given.value))
  const target = single[given.field]
  const { type } = fields[given.field]
  if (op === 'isSet') return type === 'tags' ? sql`${target} <> '{}'` : sql`${target} IS NOT NULL`
  return positive(target, type, given)
}

const isSingle = (name: string): name is NameOfOne => Object.hasOwn(single, name)

/** The value of a field, in a query like that of a filter. Null for fields with several values. */
export function fieldValue(name: string): Sql | null {
  const key = customKeyOf(name)
  if (key !== null) return sql`(devices.custom_fields -> ${key}::text)`
  return isSingle(name) ? single[name] : null
}

/** The types of the custom fields that a filter may use, by key. */
export type CustomTypes = ReadonlyMap<string, 'text' | 'number' | 'boolean' | 'time' | 'choice'>

function compareCustom(key: string, given: Comparison, custom: CustomTypes): Condition {
  const type = custom.get(key)
  invariant(type !== undefined, `the filter was checked, so the custom field ${key} exists`)
  const stored = sql`(devices.custom_fields ->> ${key})`
  if (given.op === 'isSet') return sql`${stored} IS NOT NULL`
  return positive(sql`${stored}::${sql.raw(casts[type])}`, type, given)
}

/** The condition for devices that match the filter. @param custom types of the tenant's custom fields */
export function compileFilter(filter: Filter, custom: CustomTypes = new Map()): Expression<SqlBool> {
  const build = (node: Filter): Condition => {
    if ('all' in node && node.all.length === 0) return sql`true`
    if ('all' in node) return sql`(${sql.join(node.all.map(build), sql` AND `)})`
    if ('any' in node) return sql`(${sql.join(node.any.map(build), sql` OR `)})`
    if ('not' in node) return not(build(node.not))
    return sql`(${compare(node, custom)})`
  }
  return build(filter)
}
