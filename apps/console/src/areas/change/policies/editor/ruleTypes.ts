// The types of rules, and the fields of each as a form shows them.
import type { Rule, RuleType } from '@muster/areas/change/device-policies/rules/rules.contract.ts'

/** What is entered for a rule, by the names of its fields. */
export type Values = Readonly<Record<string, string>>

export interface RuleField {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly optional?: boolean
  readonly isNumber?: boolean
  /** Several lines. */
  readonly isLong?: boolean
  /** A choice among these; the first one is the usual one. */
  readonly options?: readonly (readonly [string, string])[]
  /** The fields of requests whose faults stand here, if they have other names. */
  readonly paths?: readonly string[]
  shows?(values: Values): boolean
}

export interface RuleKind {
  readonly type: RuleType
  readonly label: string
  readonly fields: readonly RuleField[]
  /** The fields of a request, where they are not those of the form. */
  wireOf?(values: Values): object
  /** What the form shows of a stored rule, where its fields are others. */
  valuesOf?(rule: Rule): Values
}

const software: RuleField = { name: 'software', label: 'Software' }
const match: RuleField = {
  name: 'match',
  label: 'Name',
  options: [
    ['exact', 'Is exactly this'],
    ['contains', 'Contains this'],
  ],
}
const present: RuleField = {
  name: 'state',
  label: 'State',
  options: [
    ['present', 'Present'],
    ['absent', 'Absent'],
  ],
}
const isPresent = ({ state }: Values) => state !== 'absent'
const anyState = ['', 'Any'] as const
/** Without fields that are empty. */
const filled = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
const gigabyte = 1e9

const diskFree: RuleKind = {
  type: 'disk.free',
  label: 'Free disk space',
  fields: [
    { name: 'mount', label: 'Path', hint: 'Such as / or C:\\' },
    { name: 'amount', label: 'At least', isNumber: true, paths: ['minPercent', 'minBytes'] },
    {
      name: 'unit',
      label: 'Unit',
      options: [
        ['percent', '%'],
        ['gigabytes', 'GB'],
      ],
    },
  ],
  wireOf: ({ mount = '', amount = '', unit }) => ({
    mount,
    ...(amount !== '' &&
      (unit === 'gigabytes' ? { minBytes: Math.round(Number(amount) * gigabyte) } : { minPercent: Number(amount) })),
  }),
  valuesOf(rule): Values {
    if (rule.type !== 'disk.free') return {}
    const { mount, minPercent, minBytes = 0 } = rule
    return minPercent === undefined
      ? { mount, unit: 'gigabytes', amount: String(minBytes / gigabyte) }
      : { mount, unit: 'percent', amount: String(minPercent) }
  },
}

const hasContent =
  (content: string) =>
  (values: Values): boolean =>
    isPresent(values) && values.content === content

const file: RuleKind = {
  type: 'file',
  label: 'File',
  fields: [
    { name: 'path', label: 'Path', hint: 'Absolute, such as /etc/ssh/sshd_config' },
    present,
    {
      name: 'content',
      label: 'Content',
      options: [
        ['', 'Any'],
        ['contains', 'Contains a text'],
        ['setting', 'Has a setting'],
        ['sha256', 'Has a SHA-256 hash'],
      ],
      shows: isPresent,
    },
    { name: 'contains', label: 'Text', isLong: true, shows: hasContent('contains') },
    { name: 'settingName', label: 'Setting', paths: ['setting.name'], shows: hasContent('setting') },
    { name: 'settingValue', label: 'Value', paths: ['setting.value'], shows: hasContent('setting') },
    { name: 'sha256', label: 'SHA-256', shows: hasContent('sha256') },
    { name: 'mode', label: 'Mode', hint: 'Octal, such as 640', optional: true, shows: isPresent },
    { name: 'owner', label: 'Owner', optional: true, shows: isPresent },
  ],
  wireOf({ path = '', state, content, contains = '', settingName = '', settingValue = '', sha256 = '', ...rest }) {
    if (state === 'absent') return { path, state }
    const { mode = '', owner = '' } = rest
    return {
      ...{ path, state: 'present' },
      ...(content === 'contains' && { contains }),
      ...(content === 'setting' && { setting: { name: settingName, value: settingValue } }),
      ...(content === 'sha256' && { sha256: sha256.trim().toLowerCase() }),
      ...filled({ mode: mode.trim(), owner: owner.trim() }),
    }
  },
  valuesOf(rule): Values {
    if (rule.type !== 'file') return {}
    const { path, state, contains, setting, sha256, mode = '', owner = '' } = rule
    const [content = ''] = Object.entries({ contains, setting, sha256 }).flatMap(([name, value]) =>
      value === undefined ? [] : [name],
    )
    return {
      ...{ path, state, content, mode, owner, contains: contains ?? '', sha256: sha256 ?? '' },
      ...{ settingName: setting?.name ?? '', settingValue: setting?.value ?? '' },
    }
  },
}

const hives = ['HKEY_LOCAL_MACHINE', 'HKEY_CURRENT_USER', 'HKEY_CLASSES_ROOT', 'HKEY_USERS', 'HKEY_CURRENT_CONFIG']
const dataOf = (kind: string, value: string) =>
  kind === 'number' ? Number(value) : kind === 'list' ? value.split('\n') : value

const registryValue: RuleKind = {
  type: 'registry.value',
  label: 'Registry value',
  fields: [
    { name: 'hive', label: 'Hive', options: hives.map((hive) => [hive, hive] as const) },
    { name: 'path', label: 'Key', hint: 'Names separated by backslashes' },
    { name: 'name', label: 'Value name' },
    {
      name: 'view',
      label: 'View',
      options: [
        ['', 'Usual'],
        ['64', '64-bit'],
        ['32', '32-bit'],
      ],
    },
    present,
    {
      name: 'kind',
      label: 'Data',
      options: [
        ['', 'Any'],
        ['text', 'Text'],
        ['number', 'Number'],
        ['list', 'List, one on each line'],
      ],
      shows: isPresent,
    },
    {
      name: 'value',
      label: 'Expected data',
      isLong: true,
      shows: (values) => isPresent(values) && (values.kind ?? '') !== '',
    },
  ],
  wireOf({ hive, path = '', name = '', view = '', state, kind = '', value = '' }) {
    const place = { hive, path, name, ...filled({ view }), state }
    return state === 'absent' || kind === '' ? place : { ...place, value: dataOf(kind, value) }
  },
  valuesOf(rule): Values {
    if (rule.type !== 'registry.value') return {}
    const { hive, path, name, view = '', state, value } = rule
    const kind =
      value === undefined ? '' : typeof value === 'number' ? 'number' : Array.isArray(value) ? 'list' : 'text'
    return { hive, path, name, view, state, kind, value: Array.isArray(value) ? value.join('\n') : String(value ?? '') }
  },
}

/** The types of rules, in the order in which they are offered. */
export const ruleKinds: readonly RuleKind[] = [
  {
    type: 'software.required',
    label: 'Required software',
    fields: [software, match, { name: 'minVersion', label: 'Oldest version', optional: true }],
  },
  { type: 'software.prohibited', label: 'Prohibited software', fields: [software, match] },
  diskFree,
  { type: 'os.version', label: 'Operating system version', fields: [{ name: 'min', label: 'Oldest version' }] },
  file,
  {
    type: 'service',
    label: 'Service',
    fields: [
      { name: 'service', label: 'Service' },
      { name: 'state', label: 'State', options: [anyState, ['running', 'Running'], ['stopped', 'Stopped']] },
      {
        name: 'startup',
        label: 'Starts',
        options: [anyState, ['automatic', 'Automatically'], ['manual', 'Manually'], ['disabled', 'Never']],
      },
    ],
  },
  registryValue,
  { type: 'firewall', label: 'Firewall is on', fields: [] },
  { type: 'encryption', label: 'System disk is encrypted', fields: [] },
  { type: 'filter', label: 'Filter', fields: [] },
]

export const kindOf = (type: string): RuleKind | undefined => ruleKinds.find((kind) => kind.type === type)

/** What the fields of a type say in a request. */
export const wireOf = (kind: RuleKind, values: Values): object => {
  const known = kind.fields.map(({ name, options }) => [name, values[name] ?? options?.[0]?.[0] ?? ''] as const)
  const given = Object.fromEntries(known)
  return kind.wireOf?.(given) ?? filled(given)
}

/** What the form shows of a stored rule. */
export const valuesOf = (kind: RuleKind, rule: Rule): Values =>
  kind.valuesOf?.(rule) ??
  Object.fromEntries(kind.fields.map(({ name }) => [name, String(Reflect.get(rule, name) ?? '')]))
