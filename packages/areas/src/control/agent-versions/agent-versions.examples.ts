import type { ExamplesOf } from '../../examples.ts'
import type { distribution } from './distribution.contract.ts'
import type { versions } from './versions.contract.ts'

const about = 'own'
/** There is nothing to be served unless something was released. */
const answers = [404]

export const versionsExamples: ExamplesOf<typeof versions> = {
  list: { about, input: () => ({}) },
  latest: { about, answers, input: () => ({}) },
  download: { about, answers, input: () => ({ version: '1.0.0', os: 'linux', arch: 'x64' }) },
  // No release host is set.
  syncUpstream: { about, answers: [400], input: () => ({}) },
}

export const distributionExamples: ExamplesOf<typeof distribution> = {
  download: { about, answers, input: () => ({ os: 'linux', arch: 'x64' }) },
  installScript: { about, input: () => ({}) },
  metadata: { about, answers, input: () => ({ name: 'timestamp.json' }) },
  checksums: { about, answers, input: () => ({ version: '1.0.0', name: 'SHA256SUMS' as const }) },
  target: { about, answers, input: () => ({ version: '1.0.0', platform: 'linux-x64', name: 'muster-agent' }) },
}
