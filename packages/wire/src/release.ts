import { z } from 'zod'

/*
 * What server, signing tool and agent share about releases: names of systems, paths of targets, and the order of
 * versions.
 */

export const releaseSystems = ['linux', 'darwin', 'windows'] as const
export const releaseArchitectures = ['x64', 'arm64'] as const

/** `1.2.3`, followed by `-rc.4` for a candidate. */
export const releaseVersion = z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}(-[a-z]{1,10}\.\d{1,6})?$/, {
  error: 'must look like 1.2.3 or 1.2.3-rc.1',
})

/** The description of an executable, or of the installer around it, in the signed metadata's `custom` field. */
export const ReleaseTarget = z.object({
  version: releaseVersion,
  os: z.enum(releaseSystems),
  arch: z.enum(releaseArchitectures),
  format: z.literal('msi').optional(),
})
export type ReleaseTarget = z.infer<typeof ReleaseTarget>

/** Its path among the signed targets. */
export function releaseTargetPath({ version, os, arch, format }: ReleaseTarget): string {
  return `${version}/${os}-${arch}/muster-agent${format === undefined ? '' : `.${format}`}`
}

/** Whether it is a candidate, which is never the latest version. */
export function isCandidate(version: string): boolean {
  return version.includes('-')
}

/**
 * A version as numbers that sort like versions: candidates come before the version itself.
 * Null when the text is not a version.
 */
export function versionOrder(version: string): number[] | null {
  if (!releaseVersion.safeParse(version).success) return null
  const [numbers = '', candidate] = version.split('-')
  const [name = '', number = '0'] = candidate?.split('.') ?? []
  // alpha, beta, rc: their alphabetical order.
  const stage = candidate === undefined ? 1_000_000 : (name.charCodeAt(0) - 96) * 27 + ((name.charCodeAt(1) || 96) - 96)
  return [...numbers.split('.').map(Number), stage, Number(number)]
}

/** Negative when the first is older, positive when it is newer. An invalid version is older than all. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [versionOrder(one) ?? [], versionOrder(other) ?? []]
  for (let place = 0; place < 5; place++) {
    const difference = (left[place] ?? -1) - (right[place] ?? -1)
    if (difference !== 0) return difference
  }
  return 0
}
