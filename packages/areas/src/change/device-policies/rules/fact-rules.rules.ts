// Rules about what agents report beyond the inventory: what a device is asked, and whether its answer keeps the rule.
import type { Fact, FactValue } from '@muster/wire/facts/facts.ts'
import type { Rule, RuleOf } from './rules.contract.ts'
import { kept, type Verdict } from './verdict.rules.ts'

const factTypes = ['file', 'service', 'registry.value', 'firewall', 'encryption'] as const
export type FactRule = RuleOf<(typeof factTypes)[number]>

export const isFactRule = (rule: Rule): rule is FactRule => factTypes.some((type) => type === rule.type)

/** What a device answered; null when it did not yet. */
export interface FactAnswer {
  /** Null when the device could not look, for the reason in `error`. */
  readonly value: FactValue | null
  readonly error: string | null
}

/** What a device is asked for a rule: nothing of what the rule expects. */
export function factOf(rule: FactRule): Fact {
  switch (rule.type) {
    case 'file': {
      const { path, contains, setting, sha256 } = rule
      return { type: 'file', path, contains, setting: setting?.name, ...(sha256 !== undefined && { sha256: true }) }
    }
    case 'service':
      return { type: 'service', name: rule.service }
    case 'registry.value':
      return { type: 'registry', hive: rule.hive, path: rule.path, name: rule.name, view: rule.view }
    default:
      return { type: rule.type }
  }
}

export function judgeFact(rule: FactRule, answer: FactAnswer | null): Verdict {
  if (answer === null) return { status: 'pending', actual: null }
  const { value, error } = answer
  if (value === null) return { status: 'error', actual: error }
  if (rule.type === 'file' && value.type === 'file') return judgeFile(rule, value)
  if (rule.type === 'service' && value.type === 'service') return judgeService(rule, value)
  if (rule.type === 'registry.value' && value.type === 'registry') return judgeRegistry(rule, value)
  if (rule.type === 'firewall' && value.type === 'firewall')
    return kept(value.on, [value.on ? 'on' : 'off', value.product, value.detail].filter(Boolean).join(', '))
  if (rule.type === 'encryption' && value.type === 'encryption')
    return kept(value.state === 'on', [value.state, value.product].filter(Boolean).join(', '))
  return { status: 'error', actual: `the device answered about ${value.type}` }
}

type ValueOf<Type extends FactValue['type']> = Extract<FactValue, { type: Type }>

function judgeFile(rule: RuleOf<'file'>, value: ValueOf<'file'>): Verdict {
  if (rule.state === 'absent') return kept(value.kind === 'absent', value.kind === 'absent' ? 'absent' : 'present')
  if (value.kind === 'absent') return kept(false, 'absent')
  const { contains, setting, sha256, mode, owner } = rule
  const wrong: string[] = []
  if ((contains ?? setting ?? sha256) !== undefined && value.kind !== 'file') wrong.push(`a ${value.kind}, not a file`)
  else if (contains !== undefined && value.contains !== true) wrong.push('without the text')
  else if (setting !== undefined) {
    const { settings = [] } = value
    if (settings.length === 0) wrong.push(`${setting.name} is not set`)
    else if (settings.some((each) => each !== setting.value)) wrong.push(`${setting.name} is ${settings.join(', ')}`)
  } else if (sha256 !== undefined && value.sha256 !== sha256) wrong.push(`SHA-256 ${value.sha256}`)
  if (mode !== undefined) {
    if (value.mode === undefined) return { status: 'error', actual: 'files of this device have no mode' }
    if (value.mode !== mode.padStart(4, '0')) wrong.push(`mode ${value.mode}`)
  }
  if (owner !== undefined) {
    if (value.owner === undefined) return { status: 'error', actual: 'the owner of the file is not known' }
    if (value.owner !== owner) wrong.push(`owner ${value.owner}`)
  }
  return kept(wrong.length === 0, (wrong.length === 0 ? 'as expected' : wrong.join(', ')).slice(0, 1_000))
}

function judgeService({ state, startup }: RuleOf<'service'>, value: ValueOf<'service'>): Verdict {
  const { detail } = value
  // A service that does not exist does not run either.
  if (value.state === 'absent') return kept(state !== 'running' && (startup ?? 'disabled') === 'disabled', 'absent')
  const actual = detail ?? [value.state, value.startup].filter(Boolean).join(', ')
  if (startup !== undefined && value.startup === undefined)
    return { status: 'error', actual: 'when the service starts is not known' }
  return kept(
    (state === undefined || value.state === state) && (startup === undefined || value.startup === startup),
    actual,
  )
}

function judgeRegistry(rule: RuleOf<'registry.value'>, value: ValueOf<'registry'>): Verdict {
  if (rule.state === 'absent') return kept(!value.present, value.present ? 'present' : 'absent')
  if (!value.present) return kept(false, 'absent')
  const isKept = rule.value === undefined || JSON.stringify(rule.value) === JSON.stringify(value.data)
  return kept(isKept, String(value.data ?? '').slice(0, 1_000))
}

/** What the rule asks for, in words. */
export function expectationOfFact(rule: FactRule): string {
  switch (rule.type) {
    case 'file':
      return expectedFile(rule)
    case 'service':
      return `${rule.service} ${[rule.state, rule.startup && `starting ${startWords[rule.startup]}`].filter(Boolean).join(', ')}`
    case 'registry.value': {
      const what = `${rule.hive}\\${rule.path}\\${rule.name}`
      if (rule.state === 'absent') return `${what} absent`
      return rule.value === undefined ? `${what} present` : `${what} is ${String(rule.value)}`.slice(0, 1_000)
    }
    case 'firewall':
      return 'a firewall that is on'
    case 'encryption':
      return 'an encrypted system volume'
  }
}

const startWords = { automatic: 'automatically', manual: 'manually', disabled: 'never' } as const

function expectedFile({ path, state, contains, setting, sha256, mode, owner }: RuleOf<'file'>): string {
  if (state === 'absent') return `${path} absent`
  const parts = [
    contains !== undefined && 'the text',
    setting !== undefined && `${setting.name} ${setting.value}`,
    sha256 !== undefined && `SHA-256 ${sha256}`,
    mode !== undefined && `mode ${mode.padStart(4, '0')}`,
    owner !== undefined && `owner ${owner}`,
  ].filter((part) => part !== false)
  return `${path} ${parts.length === 0 ? 'present' : `with ${parts.join(', ')}`}`.slice(0, 1_000)
}
