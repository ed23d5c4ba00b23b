import { FilterExpression } from '@muster/areas/fleet/filter-language/filter.contract.ts'
import { many } from '../../../ui/text/quantity.ts'
import { conditionsIn } from '../../fleet/filters/draft.ts'
import { eventText } from '../eventWords.ts'
import { aggregateOptions, metricText, operatorOptions } from './kinds.ts'

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value, or the parameter that stands for it. */
function valueText(value: unknown): string {
  if (value === undefined) return '…'
  if (isRecord(value) && typeof value.parameter === 'string') return `{{${value.parameter}}}`
  return typeof value === 'number' ? value.toLocaleString('en', { maximumFractionDigits: 6 }) : String(value)
}
const units = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
] as const

/** A length of time in the largest unit without a rest, such as “90 minutes”. */
export function lengthText(length: number): string {
  const unit = units.find(([size]) => length >= size && length % size === 0)
  return unit ? many(length / unit[0], unit[1]) : many(length, 'second')
}
const seconds = (value: unknown): string => (typeof value === 'number' ? lengthText(value) : `${valueText(value)} s`)

const wordsOf = (options: readonly (readonly [string, string])[], value: unknown): string =>
  options.find(([id]) => id === value)?.[1] ?? String(value)

function leafText({ metric, operator, threshold, clearThreshold, aggregate, windowSeconds }: Record<string, unknown>) {
  const window = windowSeconds === undefined ? '' : ` of ${seconds(windowSeconds)}`
  const figure =
    aggregate === undefined || aggregate === 'last'
      ? metricText(String(metric))
      : `${metricText(String(metric))}, ${wordsOf(aggregateOptions, aggregate).toLowerCase()}${window},`
  const until = clearThreshold === undefined ? '' : `, until ${valueText(clearThreshold)}`
  return `${figure} ${wordsOf(operatorOptions, operator)} ${valueText(threshold)}${until}`
}

const singles: Readonly<Record<string, (given: Readonly<Record<string, unknown>>) => string>> = {
  metric: leafText,
  offline: (given) => `Offline for ${seconds(given.seconds)}`,
  siteOffline: ({ percent, minDevices, seconds: time }) =>
    `${valueText(percent)}% of at least ${valueText(minDevices)} devices of a site offline for ${seconds(time)}`,
  filter: ({ filter }) => {
    const parsed = FilterExpression.safeParse(filter).data
    return `Matches a filter of ${many(conditionsIn(parsed), 'condition')}`
  },
  forecast: ({ metric, threshold, withinHours }) =>
    `${metricText(String(metric))} reaches ${valueText(threshold)} within ${valueText(withinHours)} hours`,
  event: ({ type, where }) =>
    `Event “${typeof type === 'string' ? eventText(type) : valueText(type)}”${isRecord(where) ? ` with ${many(Object.keys(where).length, 'field')}` : ''}`,
  service: ({ name }) => `Service ${valueText(name)} is not running`,
  process: ({ name, min, max }) =>
    [
      `Process ${valueText(name)}:`,
      ...(min === undefined ? [] : [`fewer than ${valueText(min)}`]),
      ...(min === undefined || max === undefined ? [] : ['or']),
      ...(max === undefined ? [] : [`more than ${valueText(max)}`]),
    ].join(' '),
  disk: ({ mount, freePercent }) => `Free space of ${valueText(mount)} below ${valueText(freePercent)}%`,
  eventLog: ({ log, text, count, windowSeconds }) =>
    `“${valueText(text)}” ${valueText(count)} times in the ${valueText(log)} log within ${seconds(windowSeconds)}`,
  certificate: ({ host, port, days }) =>
    `Certificate of ${valueText(host)}:${valueText(port)} expires within ${valueText(days)} days`,
}

/** Conditions in words. */
export function conditionsText(conditions: unknown): string {
  if (!isRecord(conditions)) return '–'
  for (const [kind, word] of [
    ['all', ' and '],
    ['any', ' or '],
  ] as const) {
    const parts = conditions[kind]
    if (Array.isArray(parts))
      return parts.map((part) => (isGroup(part) ? `(${conditionsText(part)})` : conditionsText(part))).join(word)
  }
  return singles[String(conditions.kind)]?.(conditions) ?? String(conditions.kind)
}
const isGroup = (part: unknown) => isRecord(part) && ('all' in part || 'any' in part)
