import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareKeys, isAtLeast, sortKey, type VersionOrder } from './version-order.ts'

const signs = ['<', '=', '>'] as const

/** How two versions compare. */
function signOf(order: VersionOrder, one: string, other: string): string | undefined {
  const [a, b] = [sortKey(order, one), sortKey(order, other)]
  return a === null || b === null ? undefined : signs[Math.sign(compareKeys(a, b)) + 1]
}

/** Lines of "one sign other" of which ours differ. */
const differing = (order: VersionOrder, lines: readonly string[]): string[] =>
  lines.filter((line) => {
    const [one = '', sign, other = ''] = line.split(' ')
    return signOf(order, one, other) !== sign
  })

const recorded = async (name: string): Promise<string[]> =>
  (await readFile(new URL(`recorded/${name}.txt`, import.meta.url), 'utf8')).trim().split('\n')

describe('the order of versions', () => {
  // 500 pairs each, half of them one character apart, as dpkg 1.21.22 and RPM 4.18.0 compared them.
  test.each(['dpkg', 'rpm'] as const)('of %s packages is that of the package manager', async (order) => {
    expect(differing(order, await recorded(order))).toEqual([])
  })

  test('of Debian packages puts "~" before the end and a missing revision beside 0', () => {
    const lines = [
      '1.0~rc1 < 1.0',
      '1.0 = 1.0-0',
      '1.0a = 1.0a0',
      '1:1.0 > 9.0',
      '3.0.11-1~deb12u1 < 3.0.11-1',
      '1.0+ > 1.0a',
    ]
    expect(differing('dpkg', lines)).toEqual([])
  })

  test('of Alpine packages knows suffixes, fractions, letters and revisions', () => {
    const lines = ['1.06-r6 < 1.1', '1.3_alpha < 1.3_alpha2', '1.3_rc1 < 1.3', '4.5_p1 > 4.5', '2.5.1-r8 < 2.5.1a-r1']
    const more = [
      '4.5_p1-r1 > 4.5_p1',
      '0.1_alpha_pre2 < 0.1_alpha',
      '1.0_p10-r0 > 1.0_p9-r0',
      '1.0.1 > 1.0_p9',
      '0.6 > 0.0.16',
    ]
    expect(differing('apk', [...lines, ...more])).toEqual([])
    expect(sortKey('apk', '1.0bc')).toBeNull()
  })

  test('of other programs is that of their numbers, with what is early before a release', () => {
    const lines = [
      '1.2 = 1.2.0',
      '10.0.9 < 10.0.10',
      '1.2-rc.1 < 1.2',
      '1.2beta2 < 1.2',
      '9.2p1 > 9.2',
      '1.2rc2 < 1.2rc10',
      '1.2+build7 = 1.2',
    ]
    expect(differing('numbered', lines)).toEqual([])
    expect(sortKey('numbered', 'unknown')).toBeNull()
  })

  test('has no key for numbers that are too long', () => {
    expect(sortKey('dpkg', '9'.repeat(251))).toBeNull()
  })

  test.each(['dpkg', 'rpm', 'apk', 'numbered'] as const)('of %s versions does not depend on the side', (order) => {
    const version = fc.stringMatching(/^[0-9][0-9a-c.~^_-]{0,8}$/)
    fc.assert(
      fc.property(version, version, (one, other) => {
        const [sign, turned] = [signOf(order, one, other), signOf(order, other, one)]
        expect(turned).toBe(sign === undefined ? undefined : signs[2 - signs.indexOf(sign as '<')])
      }),
    )
  })
})

describe('a version that is required', () => {
  test('is compared as its package manager does', () => {
    expect(isAtLeast('dpkg', '3.0.11-1~deb12u1', '3.0.11-1~deb12u2')).toBe(false)
    expect(isAtLeast('dpkg', '3.0.11-1~deb12u2', '3.0.11-1~deb12u2')).toBe(true)
    expect(isAtLeast('rpm', '3.0.7-27.el9', '3.0.7')).toBe(true)
  })

  test('needs no epoch', () => {
    expect(isAtLeast('dpkg', '1:8.4p1-5', '9.2')).toBe(false)
    expect(isAtLeast('dpkg', '1:9.2p1-2', '9.2')).toBe(true)
    expect(isAtLeast('dpkg', '1:9.2p1-2', '2:9.2')).toBe(false)
  })

  test('is unknown if one is no version', () => {
    expect(isAtLeast('numbered', 'latest', '1.0')).toBeNull()
  })
})
