import type { Session } from '@muster/stack/local-agent.ts'
import { z } from 'zod'
import { deadTarget } from '../tools/checks.ts'

// Sample data of what is watched: alert rules and a policy, a maintenance window, a webhook whose receiver is dead, monitors.

const Created = z.looseObject({ id: z.uuid() })
const Roles = z.looseObject({ data: z.array(z.looseObject({ id: z.uuid(), name: z.string() })) })

export interface Site {
  readonly orgId: string
  readonly siteId: string
}

const above = (metric: string, threshold: number, clearThreshold: number) => ({
  kind: 'metric',
  metric,
  operator: 'gte',
  threshold,
  clearThreshold,
})

const rules = [
  { name: 'Disk nearly full', severity: 'high', conditions: above('diskPercent', 90, 85) },
  { name: 'Processor busy', severity: 'medium', conditions: above('cpuPercent', 85, 70), forSeconds: 60 },
  { name: 'Memory nearly full', severity: 'medium', conditions: above('memoryPercent', 90, 85), forSeconds: 60 },
] as const

const monitors = [
  { name: 'Intranet', type: 'http', target: 'https://intranet.northwind.example', degradedMs: 300 },
  { name: 'File server', type: 'tcp', target: 'files.northwind.example', config: { port: 445 } },
  { name: 'Router', type: 'ping', target: 'router.northwind.example' },
  { name: 'Name server', type: 'dns', target: 'northwind.example', config: { recordType: 'A' } },
] as const

/** Adds what is watched to a new partner. Call once per partner. */
export async function addWatch(session: Session, partnerId: string, sites: readonly Site[]): Promise<void> {
  const create = async (path: string, body: object) => (await session.post(path, body, Created)).id
  await addPolicy(session, partnerId)
  for (const rule of rules) await create('/alerts/rules', { partnerId, ...rule })
  const siteRule = await create('/alerts/rules', {
    partnerId,
    name: 'Site offline',
    severity: 'critical',
    conditions: { kind: 'siteOffline', percent: 80, minDevices: 3, seconds: 60 },
  })
  await create('/alerts/rules', {
    partnerId,
    name: 'Offline for two minutes',
    severity: 'high',
    conditions: { kind: 'offline', seconds: 120 },
    dependsOnRuleIds: [siteRule],
  })
  const url = 'https://tickets.northwind.example/hooks/muster'
  await create('/webhooks', { partnerId, name: 'Ticket system', url, events: ['alert.*', 'device.*', 'monitor.*'] })
  const [first] = sites
  await create('/maintenance/windows', {
    orgId: first?.orgId,
    name: 'Replacement of servers',
    startsAt: `${new Date().toISOString().slice(0, 10)}T00:00`,
    durationMinutes: 1_435,
    rrule: 'FREQ=DAILY',
    effects: { alerts: 'suppress', agentUpdates: 'suppress', reboots: 'suppress' },
  })
  for (const [index, site] of sites.entries()) {
    for (const monitor of monitors.slice(index % 2)) await create('/monitors', { ...site, ...monitor })
    if (index % 4 > 0) continue
    const target = `https://${deadTarget}.northwind.example`
    await create('/monitors', { ...site, name: 'Time recording', type: 'http', target })
  }
}

async function addPolicy(session: Session, partnerId: string): Promise<void> {
  const { data: roles } = await session.get(`/roles?partnerId=${partnerId}`, Roles)
  const idsOf = (wanted: string) => roles.flatMap(({ id, name }) => (name === wanted ? [id] : []))
  const config = { to: ['on-call@northwind.example'] }
  const mail = await session.post('/alerts/channels', { partnerId, name: 'On call', type: 'email', config }, Created)
  const steps = [
    { afterMinutes: 0, channelIds: [mail.id], roleIds: idsOf('Partner Technician') },
    { afterMinutes: 30, roleIds: idsOf('Partner Admin') },
  ]
  await session.post(
    '/alerts/policies',
    { partnerId, name: 'Everything', groupBy: ['organization', 'rule'], steps },
    Created,
  )
}
