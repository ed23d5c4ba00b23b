// What is looked for among the devices of a tested rule.
import type { Outage } from '../checks/listening.ts'
import type { Reading } from './reading.ts'
import type { AskingRule } from './tested-rule.ts'

export interface Match {
  readonly deviceId: string
  readonly value: number | null
  readonly would: 'fire' | 'pending' | 'clear'
}

export interface Looking extends Reading {
  readonly nowMs: number
  readonly outages: readonly Outage[]
  readonly asking: AskingRule | null
  /** One device was asked for: it is answered in any case. */
  readonly isOne: boolean
}

export interface Looked {
  readonly matches: readonly Match[]
  /** Devices that were looked at in time. */
  readonly devices: number
}

export const matchesMax = 1_000
