import {
  can,
  changes,
  create,
  csv,
  del,
  flag,
  get,
  id,
  jsonObject,
  moment,
  nameText,
  page,
  pageOf,
  patch,
  post,
  success,
  time,
} from '@muster/kit/contract.ts'
import { z } from 'zod'
import { MonitorStatus, MonitorType } from './words.contract.ts'

const ratio = z.number().nullable().describe('Percent of the time with a known status; null while there is none')

/** What agents at a site check again and again. */
export const Monitor = z.object({
  id: id(),
  partnerId: id(),
  orgId: id(),
  siteId: id().nullable(),
  deviceId: id().nullable(),
  name: z.string(),
  type: MonitorType,
  target: z.string(),
  config: z.record(z.string(), z.json()),
  intervalSeconds: z.number(),
  timeoutSeconds: z.number(),
  retries: z.number(),
  degradedMs: z.number().nullable(),
  probes: z.number(),
  enabled: z.boolean(),
  status: MonitorStatus,
  statusReason: z.string().nullable(),
  statusSince: time(),
  lastCheckAt: time().nullable(),
  lastResponseMs: z.number().nullable(),
  certificateExpiresAt: time().nullable(),
  uptime24h: ratio,
  uptime7d: ratio,
  uptime30d: ratio,
  assignedDeviceIds: z.array(id()),
  createdAt: time(),
  updatedAt: time(),
})
export type Monitor = z.infer<typeof Monitor>

const name = nameText()
const target = z.string().trim().min(1).max(2_048)
const config = jsonObject(32_768).describe(
  'ping: count. tcp: port, expect. http: method, headers, body, expectStatus, expectBody, verifyTls, certificateDays. dns: recordType, server, expect',
)
const intervalSeconds = z.int().min(10).max(86_400)
const timeoutSeconds = z.int().min(1).max(60)
const retries = z.int().min(0).max(10)
const degradedMs = z.int().min(1).max(60_000).nullable()
const probes = z.int().min(1).max(5)

/** What a PATCH can change. */
const changeable = {
  name,
  siteId: id().nullable(),
  deviceId: id().nullable(),
  target,
  config,
  intervalSeconds,
  timeoutSeconds,
  retries,
  degradedMs,
  probes,
  enabled: flag(),
}

const ProbeAnswer = z.object({
  deviceId: id(),
  state: z.enum(['ok', 'degraded', 'failed', 'unknown']),
  responseMs: z.number().nullable(),
  error: z.string().nullable(),
})
const answers = z.object({ results: z.array(ProbeAnswer) })
export type ProbeAnswer = z.infer<typeof ProbeAnswer>

export const Resolution = z.enum(['raw', '5m', '1h'])
export type Resolution = z.infer<typeof Resolution>

const Result = z.object({
  at: time(),
  deviceId: id().nullable(),
  state: z.enum(['ok', 'degraded', 'failed', 'unknown']).nullable(),
  responseMs: z.number().nullable(),
  minMs: z.number().nullable(),
  maxMs: z.number().nullable(),
  rounds: z.number(),
  failed: z.number(),
  reason: z.string().nullable(),
})
export type Result = z.infer<typeof Result>

const Incident = z.object({
  monitorId: id(),
  orgId: id(),
  name: z.string(),
  target: z.string(),
  reason: z.string().nullable(),
  startedAt: time(),
  endedAt: time().nullable(),
  seconds: z.number(),
})

export const monitors = {
  list: get('/monitors', {
    summary: 'List monitors',
    access: can('alerts:read'),
    input: z.object({
      orgId: id().optional(),
      siteId: id().optional(),
      type: csv(MonitorType).optional(),
      status: csv(MonitorStatus).optional(),
      search: z.string().max(255).optional(),
      ...page,
    }),
    output: pageOf(Monitor),
  }),
  create: create('/monitors', {
    summary: 'Create a monitor, with a rule that raises an alert when it is offline',
    access: can('alerts:write'),
    audit: 'monitor.create',
    refuses: [409],
    input: z.object({
      orgId: id().optional(),
      siteId: id().nullable().default(null),
      deviceId: id().nullable().default(null),
      name,
      type: MonitorType,
      target,
      config: config.default({}),
      intervalSeconds: intervalSeconds.default(60),
      timeoutSeconds: timeoutSeconds.default(5),
      retries: retries.default(2),
      degradedMs: degradedMs.default(null),
      probes: probes.default(1),
      enabled: flag().default(true),
    }),
    output: Monitor,
  }),
  dashboard: get('/monitors/dashboard', {
    summary: 'Get figures of the monitors: statuses, uptime, the slowest, and incidents',
    access: can('alerts:read'),
    input: z.object({ orgId: id().optional(), siteId: id().optional() }),
    output: z.object({
      total: z.number(),
      byStatus: z.record(MonitorStatus, z.number()),
      uptime24h: ratio,
      uptime7d: ratio,
      uptime30d: ratio,
      slowest: z.array(
        z.object({ monitorId: id(), orgId: id(), name: z.string(), target: z.string(), responseMs: z.number() }),
      ),
      incidents: z.array(Incident),
    }),
  }),
  get: get('/monitors/:id', {
    summary: 'Get a monitor',
    access: can('alerts:read'),
    input: z.object({ id: id() }),
    output: Monitor,
  }),
  update: patch('/monitors/:id', {
    summary: 'Update a monitor',
    access: can('alerts:write'),
    audit: 'monitor.update',
    input: changes({ id: id() }, changeable),
    output: Monitor,
  }),
  remove: del('/monitors/:id', {
    summary: 'Delete a monitor with its results',
    access: can('alerts:write'),
    audit: 'monitor.delete',
    input: z.object({ id: id() }),
    output: success,
  }),
  check: post('/monitors/:id/check', {
    summary: 'Run the check now, and store what its probes find',
    access: can('alerts:write'),
    audit: 'monitor.check',
    transaction: 'own',
    refuses: [409],
    input: z.object({ id: id() }),
    output: answers,
  }),
  test: post('/monitors/:id/test', {
    summary: 'Run the check now with other values, and store nothing',
    access: can('alerts:write'),
    audit: 'monitor.test',
    transaction: 'own',
    refuses: [409],
    input: z.object({ id: id() }).extend(z.object(changeable).partial().shape),
    output: answers,
  }),
  results: get('/monitors/:id/results', {
    summary: 'List what the probes of a monitor found',
    access: can('alerts:read'),
    input: z.object({
      id: id(),
      from: moment().optional(),
      to: moment().optional(),
      resolution: Resolution.default('raw').describe('At most 1 day of raw, 31 days of 5m and 400 days of 1h results'),
    }),
    output: z.object({ resolution: Resolution, data: z.array(Result) }),
  }),
}
