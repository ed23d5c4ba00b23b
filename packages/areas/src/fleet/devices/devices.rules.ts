import type { SkipReason } from './commands.contract.ts'
import type { DeviceStatus } from './devices.contract.ts'

/** An update that takes longer has gone wrong, and the device counts as offline until it is heard of. */
export const updateTimeoutMs = 5 * 60_000

/** What the database holds of a device's condition. `connection` is null while there is no state row. */
export interface Condition {
  readonly lifecycle: 'provisioned' | 'active' | 'quarantined' | 'decommissioned'
  readonly connection: 'online' | 'offline' | 'updating' | null
  readonly updatingSince: string | null
}

/** The one status that people see. The same decision as a filter stands in `statusIn` of devices.queries.ts. */
export function deviceStatus({ lifecycle, connection, updatingSince }: Condition, nowMs: number): DeviceStatus {
  if (lifecycle !== 'active') return lifecycle
  if (connection !== 'updating') return connection ?? 'offline'
  const late = updatingSince !== null && nowMs - Date.parse(updatingSince) >= updateTimeoutMs
  return late ? 'offline' : 'updating'
}

type Refusal = Exclude<SkipReason, 'already_pending'>

/** Why a device takes no commands at all; null when it does. An offline device gets them when it is back. */
export function commandRefusal(
  lifecycle: Condition['lifecycle'],
  organizationStatus: 'active' | 'suspended' | 'trial' | 'churned',
): Refusal | null {
  if (lifecycle !== 'active') return lifecycle
  return organizationStatus === 'suspended' || organizationStatus === 'churned' ? 'organization_suspended' : null
}

/** What a type of command asks of the machine and its agent. */
export interface Requirement {
  readonly minAgentVersion: string
  readonly platform?: string
}

/** Why a device cannot do a command of some type; null when it can, or when it has not said enough of itself yet. */
export function incapacity(
  { osType, agentVersion }: { readonly osType: string | null; readonly agentVersion: string | null },
  { minAgentVersion, platform }: Requirement,
): Refusal | null {
  if (platform !== undefined && osType !== null && osType !== platform) return 'unsupported_platform'
  return agentVersion === null || isAtLeast(agentVersion, minAgentVersion) ? null : 'agent_too_old'
}

/** Compares the numbers of two versions; a candidate counts as the version that it is a candidate for. */
function isAtLeast(version: string, least: string): boolean {
  const [given, wanted] = [numbersOf(version), numbersOf(least)]
  for (let index = 0; index < wanted.length; index++) {
    const difference = (given[index] ?? 0) - (wanted[index] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return true
}

const numbersOf = (version: string): number[] =>
  (/^v?(\d{1,9}(?:\.\d{1,9})*)/.exec(version)?.[1] ?? '').split('.').map((part) => Number(part) || 0)

/** A part of a whole in percent with one decimal; null where either is unknown. */
export const percent = (part: number | null, whole: number | null): number | null =>
  part === null || whole === null || whole <= 0 ? null : Math.round((part / whole) * 1_000) / 10
