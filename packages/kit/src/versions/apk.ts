// Versions of Alpine packages: numbers, a letter, suffixes such as _rc1 and _p2, and a revision. Source: apk-package(5).
import { OrderedBytes } from './ordered-bytes.ts'

const shape = /^(\d+(?:\.\d+)*)([a-z])?((?:_[a-z]+\d*)*)(?:~[0-9a-f]+)?(?:-r(\d+))?$/
/** In their order. The end of a version stands between those before a release and those after it. */
const before = ['alpha', 'beta', 'pre', 'rc']
const after = ['cvs', 'svn', 'git', 'hg', 'p']
const endOfSuffixes = before.length + 1
/** After the numbers. A later number that begins with 0 is a fraction: 1.06 comes before 1.1. */
const endOfNumbers = 1
const fraction = 2
const whole = 3
const endOfText = 0

function rankOf(suffix: string): number | null {
  if (before.includes(suffix)) return before.indexOf(suffix) + 1
  return after.includes(suffix) ? endOfSuffixes + 1 + after.indexOf(suffix) : null
}

/** @returns null for what is no version of an Alpine package */
export function apkKey(version: string): Uint8Array | null {
  const [, numbers, letter = '', suffixes = '', revision = ''] = shape.exec(version) ?? []
  if (numbers === undefined) return null
  const key = new OrderedBytes()
  for (const [at, digits] of numbers.split('.').entries()) {
    if (at > 0 && digits.startsWith('0')) {
      key.byte(fraction)
      key.text(digits)
      key.byte(endOfText)
    } else {
      key.byte(whole)
      key.number(digits)
    }
  }
  key.byte(endOfNumbers)
  key.text(letter)
  key.byte(endOfText)
  for (const [, name = '', digits = ''] of suffixes.matchAll(/_([a-z]+)(\d*)/g)) {
    const rank = rankOf(name)
    if (rank === null) return null
    key.byte(rank)
    key.number(digits)
  }
  key.byte(endOfSuffixes)
  key.number(revision)
  return key.end()
}
