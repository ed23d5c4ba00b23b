import type { Session } from '@muster/stack/local-agent.ts'
import { z } from 'zod'
import { busiestOrganization } from './busiest-organization.ts'

// Two deployments of scripts: one that halts in its second batch, because the script fails, and one that goes on slowly.

const Created = z.looseObject({ id: z.uuid() })
const devicesLeast = 8

const deployments = [
  {
    script: {
      name: 'Install the VPN client',
      content: 'curl -fsS https://vpn.northwind.example/install.sh | sh || exit 1',
    },
    strategy: { batches: [{ count: 1 }, { percent: 20 }, { percent: 100 }], soakSeconds: 0, maxErrors: { count: 0 } },
  },
  {
    script: { name: 'Report the disk', content: 'df -h' },
    strategy: {
      batches: [{ percent: 10 }, { percent: 50 }, { percent: 100 }],
      soakSeconds: 120,
      maxErrors: { percent: 20 },
    },
  },
] as const

/** Adds deployments to the organization with the most devices that are online. Call once per installation. */
export async function addDeployments(session: Session): Promise<void> {
  const { orgId, deviceIds = [] } = (await busiestOrganization(session)) ?? {}
  if (orgId === undefined || deviceIds.length < devicesLeast) return
  for (const { script, strategy } of deployments) {
    const { id: scriptId } = await session.post('/scripts', { orgId, language: 'bash', ...script }, Created)
    const { id } = await session.post(
      '/deployments',
      { orgId, name: script.name, order: { kind: 'script', scriptId }, targets: { orgIds: [orgId] }, strategy },
      Created,
    )
    await session.post(`/deployments/${id}/initialize`, {}, Created)
    await session.post(`/deployments/${id}/start`, {}, Created)
  }
}
