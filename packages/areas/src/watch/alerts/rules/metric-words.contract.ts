// Metrics and times as people read them.
import type { Metric } from './conditions.contract.ts'

type Unit = 'percent' | 'bytes' | 'bytesPerSecond' | 'seconds' | 'count'

const metrics: Readonly<Record<Metric, { readonly label: string; readonly unit: Unit }>> = {
  cpuPercent: { label: 'CPU use', unit: 'percent' },
  memoryUsed: { label: 'Memory used', unit: 'bytes' },
  memoryTotal: { label: 'Memory', unit: 'bytes' },
  memoryPercent: { label: 'Memory use', unit: 'percent' },
  memoryFree: { label: 'Free memory', unit: 'bytes' },
  diskUsed: { label: 'Disk used', unit: 'bytes' },
  diskTotal: { label: 'Disk size', unit: 'bytes' },
  diskPercent: { label: 'Disk use', unit: 'percent' },
  diskFree: { label: 'Free disk space', unit: 'bytes' },
  load1m: { label: 'Load over one minute', unit: 'count' },
  uptimeSeconds: { label: 'Uptime', unit: 'seconds' },
  networkRxBytes: { label: 'Network bytes received', unit: 'bytes' },
  networkTxBytes: { label: 'Network bytes sent', unit: 'bytes' },
  processCount: { label: 'Number of processes', unit: 'count' },
  networkRxPerSecond: { label: 'Network traffic received', unit: 'bytesPerSecond' },
  networkTxPerSecond: { label: 'Network traffic sent', unit: 'bytesPerSecond' },
}

export const metricLabel = (metric: Metric): string => metrics[metric].label

const plain = (value: number): string => String(Math.round(value * 100) / 100)
const sizes = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

function bytes(value: number): string {
  let [size, unit] = [value, 0]
  while (Math.abs(size) >= 1_024 && unit < sizes.length - 1) {
    size /= 1_024
    unit++
  }
  return `${unit === 0 ? Math.round(size) : Math.round(size * 10) / 10} ${sizes[unit]}`
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** A time in its two largest units: `2 days 3 hours`. */
export function durationText(seconds: number): string {
  let left = Math.round(seconds)
  const parts: string[] = []
  for (const [name, length] of units) {
    const count = Math.floor(left / length)
    left -= count * length
    if (count > 0) parts.push(`${count} ${count === 1 ? name : `${name}s`}`)
    else if (parts.length > 0) break
    if (parts.length === 2) break
  }
  return parts.length === 0 ? '0 seconds' : parts.join(' ')
}

/** A figure with its unit. */
export function figureText(metric: Metric, value: number): string {
  switch (metrics[metric].unit) {
    case 'percent':
      return `${Math.round(value * 10) / 10} %`
    case 'bytes':
      return bytes(value)
    case 'bytesPerSecond':
      return `${bytes(value)}/s`
    case 'seconds':
      return durationText(value)
    case 'count':
      return plain(value)
  }
}
