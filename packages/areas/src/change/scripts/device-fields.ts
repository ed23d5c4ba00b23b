// The fields of devices that parameters of scripts can take.
import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'

const plainFields = [
  'hostname',
  'displayName',
  'osType',
  'osName',
  'osVersion',
  'architecture',
  'agentVersion',
  'organizationName',
  'siteName',
] as const
type PlainField = (typeof plainFields)[number]
const custom = /^custom\.([a-z][a-z0-9_]{0,62})$/

const isPlain = (name: string): name is PlainField => plainFields.some((each) => each === name)

export const isDeviceField = (name: string): boolean => isPlain(name) || custom.test(name)

export const deviceFieldWords = `${plainFields.join(', ')} or custom.<key>`

type FieldValue = string | number | boolean | null

/** The values of fields, by device. */
export async function fieldsOfDevices(
  db: Db,
  deviceIds: readonly string[],
): Promise<Map<string, (name: string) => FieldValue>> {
  const rows = await db
    .selectFrom('devices')
    .innerJoin('organizations', 'organizations.id', 'devices.orgId')
    .leftJoin('sites', 'sites.id', 'devices.siteId')
    .where(isOneOf('devices.id', deviceIds))
    .select(['devices.id', 'hostname', 'displayName', 'osType', 'osName', 'osVersion', 'architecture', 'agentVersion'])
    .select(['organizations.name as organizationName', 'sites.name as siteName', 'customFields'])
    .execute()
  return new Map(rows.map((row) => [row.id, (name: string) => valueIn(row, name)]))
}

function valueIn(
  row: Readonly<Record<PlainField, string | null>> & { readonly customFields: Readonly<Record<string, unknown>> },
  name: string,
): FieldValue {
  if (isPlain(name)) return row[name]
  const value = row.customFields[custom.exec(name)?.[1] ?? '']
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
}
