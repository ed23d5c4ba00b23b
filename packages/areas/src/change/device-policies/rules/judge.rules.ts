// Whether a device keeps a rule, from the facts that are known about it.
import { isAtLeast, orderOf } from '@muster/kit/versions/version-order.ts'
import { expectationOfFact, type FactAnswer, judgeFact } from './fact-rules.rules.ts'
import type { Rule, RuleOf, RuleType } from './rules.contract.ts'
import { type Judgment, kept, type Verdict } from './verdict.rules.ts'

/** What a change can concern. Rules of a type are judged again when their part changed. */
export type Part = 'system' | 'software' | 'disks' | 'filter' | 'facts'
export const partOf = {
  'software.required': 'software',
  'software.prohibited': 'software',
  'disk.free': 'disks',
  'os.version': 'system',
  filter: 'filter',
  file: 'facts',
  service: 'facts',
  'registry.value': 'facts',
  firewall: 'facts',
  encryption: 'facts',
} as const satisfies Record<RuleType, Part>

export interface InstalledSoftware {
  readonly name: string
  readonly version?: string | undefined
  /** The package manager or the list that names it. It decides which version is newer. */
  readonly source?: string | undefined
}
export interface MountedDisk {
  readonly mount?: string | undefined
  readonly totalBytes?: number | undefined
  readonly usedBytes?: number | undefined
}

/** Null: not reported yet. */
export interface Facts {
  readonly osVersion: string | null
  readonly software: readonly InstalledSoftware[] | null
  readonly disks: readonly MountedDisk[] | null
  /** Whether the device matches the filter of the rule. */
  readonly matches: boolean
  /** What the device answered about the fact of the rule. */
  readonly answer: FactAnswer | null
}

const pending: Verdict = { status: 'pending', actual: null }
const faulty = (actual: string): Verdict => ({ status: 'error', actual })

type ByName = ReadonlyMap<string, readonly InstalledSoftware[]>
/** A device has thousands of packages, and each of its rules looks for one. */
const indexes = new WeakMap<readonly InstalledSoftware[], ByName>()

function byName(software: readonly InstalledSoftware[]): ByName {
  const known = indexes.get(software) ?? Map.groupBy(software, ({ name }) => name.toLowerCase())
  indexes.set(software, known)
  return known
}

function named(software: readonly InstalledSoftware[], { software: name, match }: { software: string; match: string }) {
  const wanted = name.toLowerCase()
  if (match === 'exact') return byName(software).get(wanted) ?? []
  return [...byName(software)].flatMap(([has, same]) => (has.includes(wanted) ? same : []))
}
const textOf = ({ name, version }: InstalledSoftware): string => (version === undefined ? name : `${name} ${version}`)
const listOf = (software: readonly InstalledSoftware[]): string => {
  const shown = software.slice(0, 5).map(textOf).join(', ')
  return software.length > 5 ? `${shown} and ${software.length - 5} more` : shown
}

function judgeRequired(rule: RuleOf<'software.required'>, { software }: Facts): Verdict {
  if (software === null) return pending
  const found = named(software, rule)
  const { minVersion } = rule
  if (found.length === 0) return kept(false, 'not installed')
  if (minVersion === undefined) return kept(true, listOf(found))
  const ages = found.map(({ version, source }) =>
    version === undefined ? null : isAtLeast(orderOf(source), version, minVersion),
  )
  if (ages.includes(true)) return kept(true, listOf(found))
  return ages.includes(null) ? faulty(`the version of ${listOf(found)} is not known`) : kept(false, listOf(found))
}

function judgeProhibited(rule: RuleOf<'software.prohibited'>, { software }: Facts): Verdict {
  if (software === null) return pending
  const found = named(software, rule)
  return found.length === 0 ? kept(true, 'not installed') : kept(false, listOf(found))
}

/** A mount point without its last separator, in the spelling in which it is compared. */
function mountOf(text: string): string {
  const isWindows = /^[a-z]:/i.test(text)
  const trimmed = text.replace(isWindows ? /[\\/]+$/ : /\/+$/, '')
  if (isWindows) return trimmed.replaceAll('/', '\\').toLowerCase()
  return trimmed === '' ? '/' : trimmed
}

interface Mounted {
  readonly disk: MountedDisk
  readonly mount: string
  /** What paths below it begin with. */
  readonly above: string
}
/** The longest mount points first. A device has few of them, and many rules about them. */
const mounts = new WeakMap<readonly MountedDisk[], readonly Mounted[]>()

function mountedOf(disks: readonly MountedDisk[]): readonly Mounted[] {
  const known = mounts.get(disks)
  if (known !== undefined) return known
  const found = disks.flatMap((disk) => {
    if (disk.mount === undefined) return []
    const mount = mountOf(disk.mount)
    const separator = mount.includes(':') ? '\\' : '/'
    return [{ disk, mount, above: mount.endsWith('/') ? mount : `${mount}${separator}` }]
  })
  const sorted = found.toSorted((a, b) => b.mount.length - a.mount.length)
  mounts.set(disks, sorted)
  return sorted
}

/** The file system that holds the path: the one with the longest mount point above it. */
function diskAt(disks: readonly MountedDisk[], path: string): MountedDisk | undefined {
  const wanted = mountOf(path)
  return mountedOf(disks).find(({ mount, above }) => mount === wanted || wanted.startsWith(above))?.disk
}

function judgeDisk({ mount, minPercent, minBytes }: RuleOf<'disk.free'>, { disks }: Facts): Verdict {
  if (disks === null) return pending
  const disk = diskAt(disks, mount)
  if (disk === undefined) return faulty(`nothing is mounted at ${mount}`)
  const { totalBytes, usedBytes } = disk
  if (totalBytes === undefined || usedBytes === undefined) return pending
  if (totalBytes === 0) return faulty(`the size of ${mount} is 0`)
  const free = Math.max(0, totalBytes - usedBytes)
  const percent = (free / totalBytes) * 100
  const shown = `${percent.toFixed(1)} % (${free} bytes)`
  return kept(minPercent === undefined ? free >= (minBytes ?? 0) : percent >= minPercent, shown)
}

function judgeVersion({ min }: RuleOf<'os.version'>, { osVersion }: Facts): Verdict {
  if (osVersion === null) return pending
  const isNew = isAtLeast('numbered', osVersion, min)
  return isNew === null ? faulty(`${osVersion} is no version`) : kept(isNew, osVersion)
}

/** What the rule asks for, in words. */
export function expectationOf(rule: Rule): string {
  switch (rule.type) {
    case 'software.required':
      return `${nameOf(rule)} installed${rule.minVersion === undefined ? '' : `, ${rule.minVersion} or later`}`
    case 'software.prohibited':
      return `${nameOf(rule)} not installed`
    case 'disk.free':
      return `at least ${rule.minPercent === undefined ? `${rule.minBytes ?? 0} bytes` : `${rule.minPercent} %`} free on ${rule.mount}`
    case 'os.version':
      return `${rule.min} or later`
    case 'filter':
      return 'matches the filter'
    default:
      return expectationOfFact(rule)
  }
}
const nameOf = ({ software, match }: RuleOf<'software.required' | 'software.prohibited'>): string =>
  match === 'exact' ? software : `software with ${software} in its name`

function verdictOf(rule: Rule, facts: Facts): Verdict {
  switch (rule.type) {
    case 'software.required':
      return judgeRequired(rule, facts)
    case 'software.prohibited':
      return judgeProhibited(rule, facts)
    case 'disk.free':
      return judgeDisk(rule, facts)
    case 'os.version':
      return judgeVersion(rule, facts)
    case 'filter':
      return kept(facts.matches, facts.matches ? 'matches' : 'does not match')
    default:
      return judgeFact(rule, facts.answer)
  }
}

export const judge = (rule: Rule, facts: Facts): Judgment => ({
  ...verdictOf(rule, facts),
  expected: expectationOf(rule),
})
