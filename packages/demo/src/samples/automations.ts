import type { Session } from '@muster/stack/local-agent.ts'
import { z } from 'zod'
import { busiestOrganization } from './busiest-organization.ts'

// Automations with each kind of trigger: one that ran, one whose step failed, and one that was stopped at its limit.

const Created = z.looseObject({ id: z.uuid() })
const devicesPerRun = 6

const automations = [
  {
    name: 'Nightly inventory',
    description: 'Reads the inventory again before the working day begins',
    trigger: { type: 'schedule', cron: '30 2 * * 1-5', timezone: 'Europe/Zurich' },
    conditions: { field: 'status', op: 'is', value: 'online' },
    actions: [
      { type: 'command', command: 'refresh_inventory', retries: 1, retryDelaySeconds: 30 },
      { type: 'add_tag', tag: 'inventory-read' },
    ],
    onFailure: 'continue',
    runs: 1,
  },
  {
    name: 'Servers that stay offline',
    trigger: { type: 'event', event: 'device.offline', forSeconds: 120 },
    conditions: { field: 'hostname', op: 'startsWith', value: 'srv-' },
    actions: [
      { type: 'create_alert', severity: 'high', title: '{{ device.hostname }} is offline for two minutes' },
      { type: 'notify', title: '{{ device.hostname }} is offline', message: 'It did not come back by itself.' },
    ],
    cooldownSeconds: 600,
    runs: 0,
  },
  {
    name: 'Restart for a closed ticket',
    description: 'The ticket system names the devices in its request',
    trigger: { type: 'webhook' },
    conditions: null,
    actions: [{ type: 'add_tag', tag: 'ticket-{{ body.ticket }}' }],
    // By hand there is no request, so the step fails.
    runs: 1,
  },
  {
    name: 'Clean up on request',
    trigger: { type: 'manual' },
    conditions: null,
    actions: [{ type: 'remove_tag', tag: 'inventory-read' }],
    overlap: 'parallel',
    maxRunsPerHour: 1,
    // The second run is one too many.
    runs: 2,
  },
] as const

/** Adds automations with runs to the organization with the most devices that are online. Call once per installation. */
export async function addAutomations(session: Session): Promise<void> {
  const { orgId, deviceIds = [] } = (await busiestOrganization(session)) ?? {}
  if (orgId === undefined) return
  for (const { runs, ...automation } of automations) {
    const { id } = await session.post('/automations', { orgId, ...automation }, Created)
    for (let run = 0; run < runs; run++)
      await session.post(`/automations/${id}/run`, { deviceIds: deviceIds.slice(0, devicesPerRun) }, Created)
  }
}
