import type { ExamplesOf } from '../../examples.ts'
import type { distribution } from './distribution.contract.ts'
import type { versions } from './versions.contract.ts'

const subject = 'own'
/** Nothing is served before a release. */
const answers = [404]

export const versionsExamples: ExamplesOf<typeof versions> = {
  list: { subject, input: () => ({}) },
  latest: { subject, answers, input: () => ({}) },
  download: { subject, answers, input: () => ({ version: '1.0.0', os: 'linux', arch: 'x64' }) },
  // No release host is set.
  syncUpstream: { subject, answers: [400], input: () => ({}) },
}

export const distributionExamples: ExamplesOf<typeof distribution> = {
  download: { subject, answers, input: () => ({ os: 'linux', arch: 'x64' }) },
  installScript: { subject, input: () => ({}) },
  windowsInstallScript: { subject, input: () => ({}) },
  metadata: { subject, answers, input: () => ({ name: 'timestamp.json' }) },
  checksums: { subject, answers, input: () => ({ version: '1.0.0', name: 'SHA256SUMS' as const }) },
  target: { subject, answers, input: () => ({ version: '1.0.0', platform: 'linux-x64', name: 'muster-agent' }) },
}
