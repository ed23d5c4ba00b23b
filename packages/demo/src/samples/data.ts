import type { Session } from '@muster/stack/local-agent.ts'
import { z } from 'zod'

// Sample data of a partner in use: groups, custom fields, saved filters, members, an access review.

const Listed = z.looseObject({ data: z.array(z.looseObject({ id: z.uuid(), name: z.string().optional() })) })
const Anything = z.looseObject({})

const groups = [
  {
    name: 'Servers',
    filter: {
      any: [
        { field: 'hostname', op: 'startsWith', value: 'srv-' },
        { field: 'hostname', op: 'startsWith', value: 'lx-' },
      ],
    },
  },
  {
    name: 'Windows 11 on old builds',
    filter: {
      all: [
        { field: 'osName', op: 'contains', value: 'Windows 11' },
        { field: 'osVersion', op: 'isNot', value: '25H2' },
      ],
    },
  },
  { name: 'Disk nearly full', filter: { field: 'diskPercent', op: 'atLeast', value: 90 } },
] as const

const customFields = [
  { key: 'asset_tag', label: 'Asset tag', type: 'text' },
  { key: 'warranty_until', label: 'Warranty until', type: 'time' },
  { key: 'backup', label: 'Backup', type: 'choice', options: ['daily', 'weekly', 'none'] },
] as const

const filters = [
  { name: 'Offline now', filter: { field: 'status', op: 'is', value: 'offline' } },
  { name: 'Agents to update', filter: { field: 'agentVersion', op: 'lessThan', value: '1.0.0' } },
  {
    name: 'Busy or short of memory',
    filter: {
      any: [
        { field: 'cpuPercent', op: 'atLeast', value: 85 },
        { field: 'memoryPercent', op: 'atLeast', value: 90 },
      ],
    },
  },
] as const

const colleagues = [
  ['Ida Falk', 'Partner Admin'],
  ['Noah Brandt', 'Partner Technician'],
  ['Mira Costa', 'Partner Technician'],
  ['Leo Haas', 'Partner Viewer'],
] as const

/** Adds sample data to a new partner and its organizations. Call once per partner. */
export async function addSampleData(session: Session, partnerId: string, orgIds: readonly string[]): Promise<void> {
  for (const field of customFields) await session.post('/custom-fields', { ...field, partnerId }, Anything)
  for (const orgId of orgIds) {
    for (const { name, filter } of groups)
      await session.post('/groups', { orgId, name, filter, type: 'dynamic' }, Anything)
    for (const { name, filter } of filters)
      await session.post('/filters', { orgId, name, filter, shared: true }, Anything)
  }
  const { data: roles } = await session.get(`/roles?partnerId=${partnerId}`, Listed)
  for (const [name, role] of colleagues) {
    const roleId = roles.find((one) => one.name === role)?.id
    const email = `${name.toLowerCase().replace(' ', '.')}@northwind.example`
    if (roleId !== undefined) await session.post('/users/invite', { email, name, roleId, partnerId }, Anything)
  }
  await session.post(
    '/access-reviews',
    { partnerId, name: 'Access in this quarter', includeOrganizations: true },
    Anything,
  )
}
