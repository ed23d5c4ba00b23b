import { randomBytes } from 'node:crypto'
import { agents } from '@muster/areas/fleet/enrollment/agents.contract.ts'
import { keys } from '@muster/areas/fleet/enrollment/keys/keys.contract.ts'
import { call } from './call.ts'
import { testServices } from './services.ts'
import type { Person } from './world.ts'

/** The data that a machine sends at enrollment; every call returns another machine. */
export const machine = (hostname = `host-${randomBytes(4).toString('hex')}`) => ({
  hostname,
  osType: 'linux' as const,
  osName: 'Debian',
  osVersion: '12',
  architecture: 'x64',
  agentVersion: '1.0.0',
  machineId: randomBytes(16).toString('hex'),
  publicKey: randomBytes(32).toString('base64url'),
})

/** Enrolls machines with a new key of the given person. @returns the IDs of the devices in the order of the host names */
export async function enrolled(
  who: Pick<Person, 'token'>,
  place: { orgId: string; siteId?: string | null },
  ...hostnames: string[]
): Promise<string[]> {
  const { key } = await call(who, keys.create, { ...place, name: 'Test machines', maxUsage: null })
  const ids: string[] = []
  // A separate address, because all tests together would exceed the enrollments per minute of one address.
  const ip = `10.${randomBytes(3).join('.')}`
  for (const hostname of hostnames) {
    const { deviceId } = await call(null, agents.enroll, { enrollmentKey: key, ...machine(hostname) }, { ip })
    ids.push(deviceId)
  }
  return ids
}

/** Sets the device state that a worker would have stored. */
export async function setState(deviceId: string, state: Readonly<Record<string, unknown>>): Promise<void> {
  const { system } = await testServices()
  const names = Object.keys(state)
  const columns = names.map(
    (name, index) => `${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} = $${index + 2}`,
  )
  await system.query(`UPDATE device_state SET ${columns.join(', ')} WHERE device_id = $1`, [
    deviceId,
    ...Object.values(state),
  ])
}
