import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { many } from '../../../../ui/text/quantity.ts'
import { systemParts } from './systemParts.ts'

type Fact = readonly [name: string, value: string]
type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])

/** Time zone, domain, battery and protections of the machine, as far as its agent knows them. */
export function protectionFacts({ inventory }: Pick<DeviceDetail, 'inventory'>): Fact[] {
  if (inventory === null) return []
  const { battery, tpm, secureBoot, protections } = inventory.hardware
  const { timeZone, membership } = systemParts(inventory.system)
  const facts: Fact[] = []
  if (timeZone !== undefined) facts.push(['Time zone', timeZone])
  if (membership.workgroup !== undefined) facts.push(['Workgroup', membership.workgroup])
  if (membership.domain !== undefined) facts.push(['Domain', membership.domain])
  if (membership.entra !== undefined) facts.push(['Entra ID', membership.entra])
  const { percent, charging, cycles, condition } = fieldsOf(battery)
  const charge = [
    ...(typeof percent === 'number' ? [`${percent}%`] : []),
    ...(charging === true ? ['charging'] : []),
    ...(typeof cycles === 'number' ? [many(cycles, 'cycle')] : []),
    ...(typeof condition === 'string' ? [`condition ${condition}`] : []),
  ]
  if (charge.length > 0) facts.push(['Battery', charge.join(', ')])
  const { present, version } = fieldsOf(tpm)
  if (typeof present === 'boolean') facts.push(['TPM', present ? `yes${version ? `, version ${version}` : ''}` : 'no'])
  if (typeof secureBoot === 'boolean') facts.push(['Secure Boot', secureBoot ? 'on' : 'off'])
  const encrypted = listOf(inventory.disks).flatMap(({ name, mount, encryption }) =>
    encryption === undefined ? [] : [`${mount ?? name} ${encryption}`],
  )
  if (encrypted.length > 0) facts.push(['Disk encryption', encrypted.join(', ')])
  for (const { name, state } of listOf(protections)) facts.push([String(name), String(state)])
  return facts
}
