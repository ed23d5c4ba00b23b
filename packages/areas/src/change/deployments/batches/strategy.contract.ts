// How a deployment proceeds: its batches, and when it goes on or halts.
import { flag, id } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { FilterExpression } from '../../../fleet/filter-language/filter.contract.ts'
import { Gate, gatesMax } from '../gates/gate.contract.ts'

const percent = z.number().min(0).max(100)
const day = 86_400

/** Percent and count are totals together with the batches before it; a group or a filter adds its devices. */
const Batch = z.union(
  [
    z.strictObject({ percent: percent.gt(0) }),
    z.strictObject({ count: z.int().min(1).max(1_000_000) }),
    z.strictObject({ groupIds: z.array(id()).min(1).max(100) }),
    z.strictObject({ filter: FilterExpression }),
  ],
  { error: 'must be one of {percent}, {count}, {groupIds} and {filter}' },
)
export type Batch = z.infer<typeof Batch>

const MaxErrors = z.union([z.strictObject({ percent }), z.strictObject({ count: z.int().min(0).max(1_000_000) })], {
  error: 'must be one of {percent} and {count}',
})

export const maxConcurrency = z.int().min(1).max(10_000)

/** Each field of a strategy, without its default. */
export const strategyFields = {
  batches: z.array(Batch).min(1).max(20),
  /** How long a batch is watched after its devices have ended. */
  soakSeconds: z
    .int()
    .min(0)
    .max(30 * day),
  /** How many of the ended devices of a batch must have succeeded. */
  successPercent: percent,
  /** More failures halt the deployment: of the devices that were sent the order, or as a number. */
  maxErrors: MaxErrors,
  /** How many devices work at once at most. */
  maxConcurrency,
  /** How many devices are sent the order per minute at most. */
  perMinute: z.int().min(1).max(1_000_000).nullable(),
  /** How often a device that failed is sent the order again, and how long after. */
  retries: z.strictObject({ max: z.int().min(0).max(10), delaySeconds: z.int().min(0).max(day) }),
  /** What must hold after the soak of a batch, all of it, before the next one begins. */
  gates: z.array(Gate).max(gatesMax),
  /** Whether maintenance windows hold devices back. */
  respectMaintenance: flag(),
  /** Whether devices that are offline are waited for or skipped. */
  offline: z.enum(['wait', 'skip']),
}

export const Strategy = z.object(strategyFields)
export type Strategy = z.infer<typeof Strategy>

export const defaultStrategy: Strategy = {
  batches: [{ percent: 1 }, { percent: 10 }, { percent: 50 }, { percent: 100 }],
  soakSeconds: 600,
  successPercent: 95,
  maxErrors: { percent: 5 },
  maxConcurrency: 500,
  perMinute: null,
  retries: { max: 0, delaySeconds: 60 },
  gates: [],
  respectMaintenance: true,
  offline: 'wait',
}

/** What is not given is as in `defaultStrategy`. */
export const StrategyInput = Strategy.partial()
export type StrategyInput = z.infer<typeof StrategyInput>

export const strategyOf = (given: StrategyInput, before: Strategy = defaultStrategy): Strategy =>
  Strategy.parse({ ...before, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) })
