// What a rule would do, without saving or opening anything.
import { id, time } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { ConditionsInput } from './conditions.contract.ts'

/** How far back history is read. */
export const testHours = z.number().min(1).max(720).default(24)
export const ruleSeconds = z.int().min(0).max(86_400)

export const TestInput = z.object({
  id: id(),
  deviceId: id().optional(),
  hours: testHours,
  /** Tests these instead of the stored ones. */
  conditions: ConditionsInput.optional(),
  forSeconds: ruleSeconds.optional(),
  clearForSeconds: ruleSeconds.optional(),
})
export type TestInput = z.infer<typeof TestInput>

export const RuleTest = z.object({
  matches: z.array(
    z.object({ deviceId: id(), value: z.number().nullable(), would: z.enum(['fire', 'pending', 'clear']) }),
  ),
  /** Devices that the rule targets. */
  total: z.number(),
  backtest: z.object({
    /**
     * `history`: evaluated over stored heartbeats and events. `alerts`: what the condition asks is not stored; counted are the
     * alerts that a rule with this condition opened. `none`: there is nothing to count, and the figures are null.
     */
    basis: z.enum(['history', 'alerts', 'none']),
    /** History begins here, or nothing is known. */
    since: time().nullable(),
    /** Devices whose history was read. */
    devices: z.number(),
    alerts: z.number().nullable(),
    /** First messages and news, grouped as the policy of the rule says, else by organization. Repetitions and ends are not counted. */
    messages: z.number().nullable(),
    flaps: z.number().nullable(),
    perDay: z.array(z.object({ day: z.string(), alerts: z.number() })),
  }),
  /** What the answer leaves out, in sentences for people. */
  notes: z.array(z.string()),
})
export type RuleTest = z.infer<typeof RuleTest>
