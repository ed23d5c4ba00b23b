import { can, get, id, limit, moment, page, time } from '@muster/kit/contract.ts'
import { z } from 'zod'

const actorType = z.enum(['user', 'api-key', 'agent', 'system', 'anonymous'])
const result = z.enum(['success', 'failure', 'denied'])

/** An audit record: action, actor and origin, and its position in the chain once it is chained. */
export const AuditLog = z.object({
  id: id(),
  at: time(),
  /** The same as `at`. */
  createdAt: time(),
  /** The same as `at`: a record never changes. */
  updatedAt: time(),
  partnerId: id().nullable(),
  orgId: id().nullable(),
  actorType,
  actorId: id().nullable(),
  actorEmail: z.string().nullable(),
  action: z.string(),
  resourceType: z.string(),
  resourceId: z.string().nullable(),
  resourceName: z.string().nullable(),
  result,
  details: z.record(z.string(), z.unknown()),
  changedFields: z.array(z.string()).nullable(),
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
  requestId: z.string().nullable(),
  sequence: z.number().nullable(),
  hash: z.string().nullable(),
})
export type AuditLog = z.infer<typeof AuditLog>

const word = z.string().trim().min(1).max(255)
/** The filters of the log. A record must match all of them. */
export const auditFilters = {
  partnerId: id().optional(),
  orgId: id().optional(),
  from: moment().optional(),
  to: moment().optional(),
  actorId: id().optional(),
  /** The same as actorId. */
  userId: id().optional(),
  actorType: actorType.optional(),
  action: word.optional(),
  resourceType: word.optional(),
  resourceId: word.optional(),
  result: result.optional(),
  ipAddress: word.optional(),
}

const AuditPage = z.object({
  data: z.array(AuditLog),
  pagination: z.object({
    page: z.number(),
    limit: z.number(),
    total: z.number(),
    /** Whether there are more records than the total says. */
    totalIsMinimum: z.literal(true).optional(),
  }),
})
const Filters = z.object(auditFilters)
export type AuditFilters = z.output<typeof Filters>

export const logs = {
  recent: get('/audit', {
    summary: 'List recent audit records, with a cursor',
    access: can('audit:read'),
    input: z.object({ ...auditFilters, cursor: z.string().max(1_000).optional(), limit: limit(500, 100) }),
    output: z.object({ data: z.array(AuditLog), nextCursor: z.string().nullable(), limit: z.number() }),
  }),
  list: get('/audit/logs', {
    summary: 'List audit records in pages, newest first',
    access: can('audit:read'),
    input: z.object({ ...auditFilters, ...page }),
    output: AuditPage,
  }),
  get: get('/audit/logs/:id', {
    summary: 'Get an audit record',
    access: can('audit:read'),
    input: z.object({ id: id() }),
    output: AuditLog,
  }),
  search: get('/audit/search', {
    summary: 'Search audit records by words or word prefixes, newest first',
    access: can('audit:read'),
    input: z.object({ ...auditFilters, q: z.string().trim().min(1).max(200), ...page }),
    output: AuditPage,
  }),
  chain: get('/audit/chain', {
    summary: 'Get the heads of the audit chains and the latest signed statement of them',
    access: can('audit:read', 'partner', 'system'),
    input: z.object({ partnerId: id().optional() }),
    output: z.object({
      data: z.array(
        z.object({
          chainId: id(),
          sequence: z.number(),
          hash: z.string(),
          updatedAt: time(),
          signed: z
            .object({
              sequence: z.number(),
              hash: z.string(),
              at: time(),
              keyId: z.string(),
              publicKey: z.string(),
              signature: z.string(),
            })
            .nullable(),
        }),
      ),
    }),
  }),
}
