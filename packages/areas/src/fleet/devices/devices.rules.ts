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

/** A part of a whole in percent with one decimal; null where either is unknown. */
export const percent = (part: number | null, whole: number | null): number | null =>
  part === null || whole === null || whole <= 0 ? null : Math.round((part / whole) * 1_000) / 10
