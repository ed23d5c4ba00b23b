import { expect, test } from 'vitest'
import { compareVersions, isCandidate, releaseTargetPath, releaseVersion, versionOrder } from './release.ts'

test('orders versions by number, candidates before the version itself', () => {
  const ordered = [
    '0.9.9',
    '1.0.0-alpha.2',
    '1.0.0-beta.1',
    '1.0.0-rc.2',
    '1.0.0-rc.10',
    '1.0.0',
    '1.0.1',
    '1.2.0',
    '1.10.0',
  ]
  expect([...ordered].reverse().sort(compareVersions)).toEqual(ordered)
  expect(compareVersions('1.0.0', '1.0.0')).toBe(0)
})

test('orders an invalid version before all others', () => {
  expect(versionOrder('latest')).toBeNull()
  expect(compareVersions('latest', '0.0.1')).toBeLessThan(0)
  expect(compareVersions('latest', 'newest')).toBe(0)
  for (const wrong of ['', '1', '1.2', '1.2.3.4', '1.2.3-rc', '../1.2.3', '1.2.3-rc.1/x', 'v1.2.3'])
    expect(releaseVersion.safeParse(wrong).success).toBe(false)
})

test('recognizes candidates, and gives each target one path', () => {
  expect(['1.0.0', '1.0.0-rc.1'].map(isCandidate)).toEqual([false, true])
  expect(releaseTargetPath({ version: '1.2.3', os: 'linux', arch: 'x64' })).toBe('1.2.3/linux-x64/muster-agent')
})
