// What must hold at the end of a batch before the next one begins.
import { id, time } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { FilterExpression } from '../../../fleet/filter-language/filter.contract.ts'
import { Severity } from '../../../platform/events/severity.contract.ts'

const percent = z.number().min(0).max(100)

/** Figures of heartbeats, of which more is worse. */
export const MetricField = z.enum(['cpuPercent', 'memoryPercent', 'diskPercent', 'load1m', 'processCount'])
export type MetricField = z.infer<typeof MetricField>

/** All are about the devices of the batch that were sent the order. */
export const Gate = z.discriminatedUnion(
  'type',
  [
    /** So many are online. */
    z.strictObject({ type: z.literal('online'), percent }),
    /** So many match the filter. */
    z.strictObject({ type: z.literal('filter'), filter: FilterExpression, percent }),
    /** At most so many alerts of the severity or a worse one were opened since the batch began and are open. */
    z.strictObject({ type: z.literal('alerts'), severity: Severity, max: z.int().min(0).max(1_000_000) }),
    /** The figure grew by at most so much more than that of devices which were not sent the order yet. */
    z.strictObject({ type: z.literal('metric'), field: MetricField, worseByPercent: z.number().min(0).max(10_000) }),
    /** A person lets the deployment go on. */
    z.strictObject({ type: z.literal('person') }),
  ],
  {
    error:
      'must be one of {type: online, percent}, {type: filter, filter, percent}, {type: alerts, severity, max}, {type: metric, field, worseByPercent} and {type: person}',
  },
)
export type Gate = z.infer<typeof Gate>

export const GateStatus = z.enum(['waiting', 'green', 'red'])

/** How a gate of a batch stands. */
export const GateState = z.object({
  type: z.enum(['online', 'filter', 'alerts', 'metric', 'person']),
  /** `waiting`: it was not looked at, nothing is known yet, or no person has passed it. */
  status: GateStatus,
  /** At the last look: percent of the devices, alerts, or percent by which the figure is worse. Null also for callers who do not see all devices of the batch. */
  actual: z.number().nullable(),
  expected: z.number().nullable(),
  /** Since when it is green, or is not. */
  since: time().nullable(),
  /** The person who passed it, or who resumed the deployment after it had halted it. */
  passedBy: id().nullable(),
})
export type GateState = z.infer<typeof GateState>

export const gatesMax = 10
