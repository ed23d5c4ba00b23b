// The text of an audit record that is hashed. Verifiers in other languages follow docs/audit.md, so this form never changes.
import { createHash } from 'node:crypto'

export interface ChainedRecord {
  readonly sequence: number
  readonly id: string
  /** ISO 8601 in UTC with microseconds. */
  readonly at: string
  readonly partnerId: string | null
  readonly orgId: string | null
  readonly actorType: string
  readonly actorId: string | null
  readonly actorEmail: string | null
  readonly action: string
  readonly resourceType: string
  readonly resourceId: string | null
  readonly resourceName: string | null
  readonly result: string
  readonly details: unknown
  readonly changedFields: readonly string[] | null
  readonly ipAddress: string | null
  readonly userAgent: string | null
  readonly requestId: string | null
}

/** The previous hash of the first record. */
export const noHash = Buffer.alloc(32)

const withSortedKeys = (_key: string, value: unknown): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
    : value

/** One JSON array in a fixed order, without spaces, with the keys of objects sorted. */
const canonicalText = (record: ChainedRecord): string =>
  JSON.stringify(
    [
      record.sequence,
      record.id,
      record.at,
      record.partnerId,
      record.orgId,
      record.actorType,
      record.actorId,
      record.actorEmail,
      record.action,
      record.resourceType,
      record.resourceId,
      record.resourceName,
      record.result,
      record.details,
      record.changedFields,
      record.ipAddress,
      record.userAgent,
      record.requestId,
    ],
    withSortedKeys,
  )

/** SHA-256 over the previous hash and the record. */
export const chainHash = (previous: Buffer, record: ChainedRecord): Buffer =>
  createHash('sha256').update(previous).update(canonicalText(record)).digest()

/** The chain of a record: that of its partner, or that of the installation. */
export const installationChain = '00000000-0000-0000-0000-000000000000'
export const chainOf = (partnerId: string | null): string => partnerId ?? installationChain

/** The columns of audit_logs for a chained record, in a query on `a`. */
export const recordColumns = `a.id, to_char(a.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at,
  a.partner_id AS "partnerId", a.org_id AS "orgId", a.actor_type AS "actorType", a.actor_id AS "actorId",
  a.actor_email AS "actorEmail", a.action, a.resource_type AS "resourceType", a.resource_id AS "resourceId",
  a.resource_name AS "resourceName", a.result, a.details, a.changed_fields AS "changedFields",
  a.ip_address AS "ipAddress", a.user_agent AS "userAgent", a.request_id AS "requestId"`
