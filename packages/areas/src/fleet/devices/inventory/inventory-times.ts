import type { z } from 'zod'
import type { DeviceDetail } from '../devices.contract.ts'

type Inventory = NonNullable<DeviceDetail['inventory']>
type Json = z.core.util.JSONType
type Item = Readonly<Record<string, Json>>

/** Agents send times as milliseconds since 1970, and they are stored so. Responses have ISO 8601 text. */
const timeFields = ['installedAt', 'lastLoginAt', 'date']

/** An item of the inventory, with its times as text. */
export function withTimes(item: Item): Record<string, Json> {
  const shown = { ...item }
  for (const field of timeFields) {
    const time = shown[field]
    if (typeof time === 'number') shown[field] = new Date(time).toISOString()
  }
  return shown
}

/** The inventory as the API shows it. */
export function shownInventory(inventory: Inventory): Inventory {
  const { software, users, system } = inventory
  return { ...inventory, software: software.map(withTimes), users: users.map(withTimes), system: shownSystem(system) }
}

function shownSystem(system: Item): Record<string, Json> {
  const shown = { ...system }
  for (const part of ['drivers', 'updates']) {
    const items = shown[part]
    if (Array.isArray(items)) shown[part] = items.map((item) => (isItem(item) ? withTimes(item) : item))
  }
  return shown
}

const isItem = (value: Json): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
