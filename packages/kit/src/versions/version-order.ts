import { apkKey } from './apk.ts'
import { dpkgKey } from './dpkg.ts'
import { numberedKey } from './numbered.ts'
import { rpmKey } from './rpm.ts'

const keys = { dpkg: dpkgKey, rpm: rpmKey, apk: apkKey } as const

/** Whose rules order the versions of a program: those of its package manager, else numbers and text. */
export type VersionOrder = keyof typeof keys | 'numbered'

/** The order of the versions that a source of software reports. */
export const orderOf = (source: string | undefined): VersionOrder =>
  source === 'dpkg' || source === 'rpm' || source === 'apk' ? source : 'numbered'

/**
 * Bytes in the order of the versions: a lower version has lower bytes, equal versions have the same.
 * @returns null for what is no version in this order
 */
export function sortKey(order: VersionOrder, version: string): Uint8Array | null {
  try {
    return order === 'numbered' ? numberedKey(version) : keys[order](version)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Compares two keys of one order. @returns below 0, 0 or above 0, for sorting */
export function compareKeys(one: Uint8Array, other: Uint8Array): number {
  for (let at = 0; at < one.length && at < other.length; at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0)
    if (difference !== 0) return difference
  }
  return one.length - other.length
}

const withoutEpoch = (version: string): string => version.replace(/^\d+:/, '')

/**
 * Whether a version is at least another. An epoch counts only if both name one, because people leave it out.
 * @returns null if one of them is no version
 */
export function isAtLeast(order: VersionOrder, version: string, min: string): boolean | null {
  const hasEpochs = [version, min].every((each) => /^\d+:/.test(each))
  const [has, needs] = [version, min].map((each) => sortKey(order, hasEpochs ? each : withoutEpoch(each)))
  if (has == null || needs == null) return null
  return compareKeys(has, needs) >= 0
}
