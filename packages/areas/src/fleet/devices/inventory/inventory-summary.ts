import { z } from 'zod'
import type { DeviceDetail } from '../devices.contract.ts'

const Inventory = z.object({
  network: z.array(z.object({ mac: z.string().optional(), addresses: z.array(z.string()).optional() })),
  users: z.array(z.object({ name: z.string(), loggedIn: z.boolean().optional() })),
})

/** The most used values of a device's state and inventory. */
export function summaryOf({
  inventory,
  lastSeenAt,
  uptimeSeconds,
}: Pick<DeviceDetail, 'inventory' | 'lastSeenAt' | 'uptimeSeconds'>) {
  const ways = Inventory.shape.network.safeParse(inventory?.network).data ?? []
  const users = Inventory.shape.users.safeParse(inventory?.users).data ?? []
  const isKnown = lastSeenAt !== null && uptimeSeconds !== null
  return {
    bootedAt: isKnown ? new Date(Date.parse(lastSeenAt) - uptimeSeconds * 1_000).toISOString() : null,
    ipAddresses: ways.flatMap(({ addresses = [] }) => addresses).filter((address) => !isLoopback(address)),
    macAddresses: ways.flatMap(({ mac = '' }) => (/[1-9a-f]/i.test(mac) ? [mac] : [])),
    loggedInUsers: users.flatMap(({ name, loggedIn }) => (loggedIn === true ? [name] : [])),
  }
}

const isLoopback = (address: string) => /^(127\.|::1(\/|$)|fe80:)/i.test(address)
