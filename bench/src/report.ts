import { cpus, loadavg, totalmem } from 'node:os'
import type { Percentiles } from './histogram.ts'
import type { UsageReport } from './usage.ts'

/** A limit of a scenario and the measured value. */
export interface Bar {
  readonly name: string
  readonly measured: number
  readonly limit: number
  readonly sense: 'at least' | 'at most'
  readonly unit: string
  readonly isMet: boolean
}

export interface Table {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly (string | number)[])[]
}

/** The outcome of one scenario, as plain data. */
export interface Report {
  readonly scenario: string
  readonly ratios: Readonly<Record<string, number>>
  readonly bars: readonly Bar[]
  readonly tables: readonly Table[]
  /** All measurements, for machines. */
  readonly figures: Readonly<Record<string, unknown>>
}

export interface Circumstances {
  readonly date: string
  readonly command: string
  readonly machine: string
  readonly node: string
  /** Load average of one minute before and after. */
  readonly loadBefore: number
  readonly loadAfter: number
}

export const machine = (): string => {
  const [first] = cpus()
  return `${cpus().length} × ${first?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB`
}

export const load = (): number => Number((loadavg()[0] ?? 0).toFixed(2))

export function bar(name: string, measured: number, sense: Bar['sense'], limit: number, unit = ''): Bar {
  const isMet = sense === 'at least' ? measured >= limit : measured <= limit
  return { name, measured: significant(measured), limit, sense, unit, isMet }
}

/** Rounds to four significant digits. */
export function significant(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(4))
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

export function latencyTable(title: string, rows: Readonly<Record<string, Percentiles>>): Table {
  return {
    title,
    head: ['milliseconds', 'count', 'p50', 'p90', 'p95', 'p99', 'p99.9', 'max'],
    rows: Object.entries(rows).map(([name, { count, p50, p90, p95, p99, p999, max }]) => [
      name,
      count,
      ...[p50, p90, p95, p99, p999, max].map(significant),
    ]),
  }
}

export function usageTable(title: string, { groups, seconds, leftPercent, elsewhereCpuSeconds }: UsageReport): Table {
  return {
    title: `${title} (${seconds} s; ${leftPercent} % of the machine left, ${elsewhereCpuSeconds} CPU s used by others)`,
    head: ['process', 'count', 'CPU s', '% of a core', 'MiB'],
    rows: Object.entries(groups).map(([name, { processes, cpuSeconds, cpuPercent, memoryMiB }]) => [
      name,
      processes,
      cpuSeconds,
      cpuPercent,
      memoryMiB,
    ]),
  }
}

/** Formats a report for people. */
export function print({ scenario, bars, tables }: Report, { machine, loadBefore, loadAfter }: Circumstances): string {
  const lines = [`${scenario}: ${machine}, load ${loadBefore} before, ${loadAfter} after`]
  for (const table of tables) lines.push('', table.title, ...columns([table.head, ...table.rows]))
  if (bars.length > 0) lines.push('', 'bars')
  for (const { name, measured, limit, sense, unit, isMet } of bars)
    lines.push(`  ${isMet ? '✓' : '✗'} ${name}: ${measured}${unit} (${sense} ${limit}${unit})`)
  return lines.join('\n')
}

function columns(rows: readonly (readonly (string | number)[])[]): string[] {
  const texts = rows.map((row) => row.map(String))
  const widths = (texts[0] ?? []).map((_, column) => Math.max(...texts.map((row) => (row[column] ?? '').length)))
  return texts.map(
    (row) =>
      `  ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')}`,
  )
}
