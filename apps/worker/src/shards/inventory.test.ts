import { describe, expect, it } from 'vitest'
import { TestNode, until, withConsumer } from '../testing/bed.ts'
import { listen, oneDevice, store } from '../testing/fleet.ts'

const { bed } = await withConsumer()

describe('inventory', () => {
  const inventory = (sequence: number, hostname: string, hash: string) => ({
    name: 'inventory' as const,
    sequence,
    body: {
      hash,
      facts: { hostname, osType: 'linux' as const, osName: 'Debian', architecture: 'x64', agentVersion: '2.0.0' },
      hardware: { cpuCores: 2 },
      disks: [{ name: 'sda' }],
      network: [],
      software: [{ name: 'bash', version: '5' }],
      services: [],
      users: [],
      system: { timeZone: 'Europe/Berlin', pendingRestart: ['an update'], updates: [{ name: 'KB1' }] },
    },
  })

  it('is stored with the properties of the device, and is not replaced by an older one', async () => {
    const device = await oneDevice(bed)
    const live = await listen(bed, device)
    const now = Date.now()
    await store(
      bed,
      new TestNode()
        .message(device, 1, inventory(1, 'first', 'h1'), now - 50)
        .message(device, 1, inventory(2, 'newest', 'h2'), now),
    )
    await store(bed, new TestNode().message(device, 1, inventory(3, 'older', 'h0'), now - 9_000))
    const { rows } = await bed.pool.query(
      `SELECT d.hostname, d.os_name, d.agent_version, d.inventory_hash, i.hash, i.hardware, i.software, i.system, i.org_id
       FROM devices d JOIN device_inventory i ON i.device_id = d.id WHERE d.id = $1`,
      [device.id],
    )
    expect(rows).toEqual([
      {
        hostname: 'newest',
        os_name: 'Debian',
        agent_version: '2.0.0',
        inventory_hash: 'h2',
        hash: 'h2',
        hardware: { cpuCores: 2 },
        software: [{ name: 'bash', version: '5' }],
        system: { timeZone: 'Europe/Berlin', pendingRestart: ['an update'], updates: [{ name: 'KB1' }] },
        org_id: device.orgId,
      },
    ])
    await until(
      'the event',
      async () => live.events.length,
      (length) => length > 0,
    )
    expect(live.events).toMatchObject([{ type: 'device.changed', changed: 'inventory', deviceId: device.id }])
    live.stop()
  })
})
