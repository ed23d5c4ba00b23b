import type { DeviceStatus } from './devices.contract.ts'

/** A longer update has failed. The device then counts as offline until it reports. */
export const updateTimeoutMs = 5 * 60_000

/** The stored state of a device. `connection` is null without a state row. */
export interface Condition {
  readonly lifecycle: 'provisioned' | 'active' | 'quarantined' | 'decommissioned'
  readonly connection: 'online' | 'offline' | 'updating' | null
  readonly updatingSince: string | null
}

/** The status that users see. `statusIn` in devices.queries.ts implements the same rule for filters. */
export function deviceStatus({ lifecycle, connection, updatingSince }: Condition, nowMs: number): DeviceStatus {
  if (lifecycle !== 'active') return lifecycle
  if (connection !== 'updating') return connection ?? 'offline'
  const late = updatingSince !== null && nowMs - Date.parse(updatingSince) >= updateTimeoutMs
  return late ? 'offline' : 'updating'
}

/** A share in percent with one decimal; null when a value is unknown. */
export const percent = (part: number | null, whole: number | null): number | null =>
  part === null || whole === null || whole <= 0 ? null : Math.round((part / whole) * 1_000) / 10
