import type { Hardware } from '@muster/wire/messages/inventory.ts'

const flags = { charging: 8, none: 128, unknown: 255 } as const
const percentMax = 100

/** The charge of a battery from SYSTEM_POWER_STATUS; undefined without a battery. */
export function batteryOf(status: { batteryFlags: number; percent: number }): Hardware['battery'] {
  const { batteryFlags, percent } = status
  if (batteryFlags === flags.unknown || (batteryFlags & flags.none) !== 0) return undefined
  return {
    percent: percent > percentMax ? undefined : percent,
    charging: (batteryFlags & flags.charging) !== 0,
  }
}
