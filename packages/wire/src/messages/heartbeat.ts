import { z } from 'zod'
import { heartbeatFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'

/** The figures of a heartbeat in wire order, with their largest values. */
export const heartbeatFields = [
  { name: 'cpuPercent', max: 100, whole: false },
  { name: 'memoryUsed', max: Number.MAX_SAFE_INTEGER, whole: true },
  { name: 'memoryTotal', max: Number.MAX_SAFE_INTEGER, whole: true },
  { name: 'diskUsed', max: Number.MAX_SAFE_INTEGER, whole: true },
  { name: 'diskTotal', max: Number.MAX_SAFE_INTEGER, whole: true },
  { name: 'load1m', max: 1_000_000, whole: false },
  { name: 'uptimeSeconds', max: Number.MAX_SAFE_INTEGER, whole: true },
  { name: 'networkRxBytes', max: Number.MAX_SAFE_INTEGER, whole: true },
  { name: 'networkTxBytes', max: Number.MAX_SAFE_INTEGER, whole: true },
  { name: 'processCount', max: 2_147_483_647, whole: true },
] as const

export type HeartbeatField = (typeof heartbeatFields)[number]['name']

/** A heartbeat by name; null is a figure that the machine could not measure. */
export type Sample = Record<HeartbeatField, number | null>

/** A later version may append figures: this version skips up to this many. */
export const heartbeatFieldsMax = 15

const share = z.number().min(0).max(100).nullable()
const load = z.number().min(0).max(1_000_000).nullable()
const whole = z.int().min(0).nullable()
const processes = z.int().min(0).max(2_147_483_647).nullable()

export const Heartbeat = z
  .tuple([share, whole, whole, whole, whole, load, whole, whole, whole, processes])
  .rest(z.number().min(0).nullable())
  .refine((values) => values.length <= heartbeatFieldsMax, `at most ${heartbeatFieldsMax} figures`)
export type Heartbeat = z.infer<typeof Heartbeat>

export const heartbeat = defineMessage({
  name: 'heartbeat',
  type: 33,
  meaning: 'The state of the machine, as ten figures in a fixed order.',
  sequenced: true,
  bytesMax: heartbeatFrameBytesMax,
  body: Heartbeat,
})
