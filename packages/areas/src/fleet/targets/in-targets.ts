// Which devices a target set contains, as SQL over `target_sets` and `devices`.
import type { Condition } from '@muster/db/conditions.ts'
import { type Expression, type SqlBool, sql } from 'kysely'
import type { TargetInput } from './targets.contract.ts'

/** Whether a list of the set names the device. @param of the prefix of the columns */
const isNamed = (
  set: string,
  device: string,
  of: '' | 'exclude_' = '',
): string => `(${device}.id = ANY (${set}.${of}device_ids)
  OR ${device}.site_id = ANY (${set}.${of}site_ids) OR ${device}.org_id = ANY (${set}.${of}org_ids) OR ${device}.tags && ${set}.${of}tags
  OR ${set}.${of}group_ids <> '{}' AND EXISTS (SELECT FROM device_group_members named
    WHERE named.device_id = ${device}.id AND named.group_id = ANY (${set}.${of}group_ids)))`

/** Whether the set may contain the device, if it is named. */
const isAdmitted = (set: string, device: string): string => `(${device}.partner_id = ${set}.partner_id
  AND (${set}.org_id IS NULL OR ${device}.org_id = ${set}.org_id) AND ${device}.lifecycle <> 'decommissioned'
  AND (${set}.filter IS NULL OR EXISTS (SELECT FROM target_filter_members matching
    WHERE matching.set_id = ${set}.id AND matching.device_id = ${device}.id))
  AND ${isNamed(set, device, 'exclude_')} IS NOT TRUE)`

/**
 * Whether a set contains a device, for statements that begin with devices. `devices_of_targets(set)` in the database is the
 * same rule for statements that begin with the set.
 */
export const inTargetsSql = (set: string, device: string): string =>
  `(${isAdmitted(set, device)} AND (${set}.everything OR ${isNamed(set, device)}))`

/** The same for a query. */
export const inTargets = (set: string, device: string): Expression<SqlBool> =>
  sql<SqlBool>`${sql.raw(inTargetsSql(set, device))}`

/** The devices of a set, for statements that begin with the set. The function is in the database. */
export const devicesOfTargetsSql = (set: string): string => `devices_of_targets(${set})`

/** Targets that are not saved. Their filter is a condition of its own. */
interface Unsaved extends TargetInput {
  readonly partnerId: string
  readonly orgId: string | null
  readonly everything: boolean
}

/** Whether targets that are not saved name the device. */
export function isInTargets(device: string, { partnerId, orgId, everything, targets, exclude }: Unsaved): Condition {
  const ids = (given: readonly string[] | undefined) => sql`${[...(given ?? [])]}::uuid[]`
  const texts = (given: readonly string[] | undefined) => sql`${[...(given ?? [])]}::text[]`
  return sql<SqlBool>`EXISTS (SELECT FROM (SELECT NULL::uuid AS id, ${partnerId}::uuid AS partner_id, ${orgId}::uuid AS org_id,
      NULL::jsonb AS filter, ${everything}::boolean AS everything,
      ${ids(targets.deviceIds)} AS device_ids, ${ids(targets.groupIds)} AS group_ids, ${ids(targets.orgIds)} AS org_ids,
      ${ids(targets.siteIds)} AS site_ids, ${texts(targets.tags)} AS tags,
      ${ids(exclude.deviceIds)} AS exclude_device_ids, ${ids(exclude.groupIds)} AS exclude_group_ids,
      ${ids(exclude.orgIds)} AS exclude_org_ids, ${ids(exclude.siteIds)} AS exclude_site_ids, ${texts(exclude.tags)} AS exclude_tags) given
    WHERE ${sql.raw(inTargetsSql('given', device))})`
}
