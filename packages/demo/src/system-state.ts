import type { Hardware, Membership, SystemState } from '@muster/wire/messages/inventory.ts'
import type { Model, Platform } from './catalog.ts'
import { Chance } from './chance.ts'

const dayMs = 86_400_000
const patchedFrom = Date.UTC(2026, 5, 1)
const zones = ['Europe/Berlin', 'Europe/Paris', 'America/New_York', 'America/Chicago', 'Asia/Singapore'] as const
const windowsUpdates = ['KB5034441', 'KB5036893', 'KB5037771', 'KB5039212', 'KB5040442', 'KB5041585']

/** Battery and protections of a simulated machine: the same on every run. */
export function securityOf(index: number, { osType }: Platform, { chassis }: Model): Partial<Hardware> {
  const chance = new Chance(`security ${index}`)
  const percent = chance.whole(12, 100)
  const charging = chance.percent(50)
  const isMac = osType === 'macos'
  return {
    ...(/notebook|laptop/i.test(chassis) && { battery: { percent, charging, cycles: chance.whole(20, 900) } }),
    ...(!isMac && chassis !== 'virtual' && { tpm: { present: true, version: '2.0' }, secureBoot: chance.percent(85) }),
    ...(isMac && { protections: [{ name: 'FileVault', state: chance.percent(80) ? 'on' : 'off' }] }),
  }
}

/** What a simulated machine says about its operating system: the same on every run. */
export function systemOf(index: number, { osType }: Platform): SystemState {
  const chance = new Chance(`system ${index}`)
  const timeZone = chance.pick(zones)
  const pendingRestart = chance.percent(8) ? [osType === 'windows' ? 'Windows Update' : 'a new kernel'] : []
  if (osType !== 'windows') return { timeZone, pendingRestart }
  const updates = windowsUpdates
    .filter(() => chance.percent(80))
    .map((name) => ({ name, installedAt: patchedFrom + chance.whole(0, 120) * dayMs }))
  const features = ['NetFx3', 'Microsoft-Hyper-V', 'SMB1Protocol'].map((name) => ({
    name,
    enabled: chance.percent(20),
  }))
  return { timeZone, pendingRestart, updates, features, membership: membershipOf(chance) }
}

function membershipOf(chance: Chance): Membership {
  const tenant = {
    kind: 'joined',
    tenantId: '0b7c4e1a-52f3-4d8e-9a61-3c5d7e9f1b20',
    tenantName: 'Example Group',
  } as const
  const isInDomain = chance.percent(70)
  const entra = chance.percent(isInDomain ? 40 : 60) ? tenant : undefined
  return { ...(isInDomain ? { domain: 'CORP' } : { workgroup: 'WORKGROUP' }), entra }
}
