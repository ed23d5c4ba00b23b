import type { Session } from '@muster/stack/local-agent.ts'
import { z } from 'zod'

// Two deployments of scripts: one that halts in its second batch, because the script fails, and one that goes on slowly.

const Created = z.looseObject({ id: z.uuid() })
const Devices = z.looseObject({ devices: z.array(z.looseObject({ id: z.uuid(), orgId: z.uuid() })) })
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
  const { devices } = await session.get('/devices?status=online&limit=100', Devices)
  const byOrg = [...Map.groupBy(devices, ({ orgId }) => orgId)].sort(([, one], [, other]) => other.length - one.length)
  const [orgId, own = []] = byOrg[0] ?? []
  if (orgId === undefined || own.length < devicesLeast) return
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
