import { bytes, memory } from '../../../../ui/text/quantity.ts'
import { inventoryLabel } from './inventoryLabel.ts'

const isMemory = /memory|ram/i
const isSize = /bytes|memory|^total$|^used$|^free$|^size/i
const isMoment = /At$|^date$/

/** A value of the inventory as words. `date` writes a moment. */
export function inventoryValue(name: string, value: unknown, date: (iso: string) => string): string {
  if (value === null || value === undefined || value === '') return '–'
  const at = isMoment.test(name) && (typeof value === 'number' || typeof value === 'string') ? new Date(value) : null
  if (at !== null && !Number.isNaN(at.getTime())) return date(at.toISOString())
  if (typeof value === 'number') return quantity(name, value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.map((one) => inventoryValue(name, one, date)).join(', ') || '–'
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([key, one]) => `${inventoryLabel(key)}: ${inventoryValue(key, one, date)}`)
      .join(', ')
  return String(value)
}

function quantity(name: string, value: number): string {
  if (name === 'speedMbit') return value < 1_000 ? `${value} Mbit/s` : `${value / 1_000} Gbit/s`
  return isSize.test(name) && value > 100_000 ? (isMemory.test(name) ? memory(value) : bytes(value)) : String(value)
}
