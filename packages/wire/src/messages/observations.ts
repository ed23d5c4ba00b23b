import { z } from 'zod'
import { FactFinding, factBytes } from '../facts/facts.ts'
import { factBytesMax, observationsMax, sequenceMax, smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { text, time } from '../scalars.ts'
import { CheckKind } from './assignment.ts'

/** `unknown`: the machine could not check, for the reason in `text`. */
export const CheckState = z.enum(['ok', 'degraded', 'failed', 'unknown'])
export type CheckState = z.infer<typeof CheckState>

const count = z.int().min(0).max(1_000_000)
const milliseconds = z.number().min(0).max(1e12)

export const Observation = z.object({
  /** The id of the assigned check. */
  id: text(100).min(1),
  /** When the last of the rounds ended, by the clock of the server as the agent knows it. */
  at: time,
  /** Of the last round. */
  state: CheckState,
  /** Rounds since the previous observation of this check, this one included. */
  rounds: count,
  failed: count,
  /** How long successful rounds took. */
  minMs: milliseconds.optional(),
  maxMs: milliseconds.optional(),
  sumMs: milliseconds.optional(),
  /** The measured number, such as free percent, processes or days. */
  value: z.number().optional(),
  text: text(500).optional(),
  certificateExpiresAt: time.optional(),
})
export type Observation = z.infer<typeof Observation>

/** Of the assignment that the agent follows. Observations without items only confirm that. */
const revision = z.int().min(0).max(sequenceMax)

export const CheckObservations = z.object({
  kind: CheckKind,
  revision,
  items: z.array(Observation).max(observationsMax),
})
export type CheckObservations = z.infer<typeof CheckObservations>

export const FactObservation = z.object({
  /** The id of the assigned fact. */
  id: text(32).min(1),
  /** When the machine looked, by the clock of the server as the agent knows it. */
  at: time,
  found: FactFinding.refine((found) => factBytes(found) <= factBytesMax, `at most ${factBytesMax} bytes as JSON`),
})
export type FactObservation = z.infer<typeof FactObservation>

export const FactObservations = z.object({
  kind: z.literal('facts'),
  revision,
  items: z.array(FactObservation).max(observationsMax),
})
export type FactObservations = z.infer<typeof FactObservations>

export const Observations = z.discriminatedUnion('kind', [CheckObservations, FactObservations])
export type Observations = z.infer<typeof Observations>

export const observations = defineMessage({
  name: 'observations',
  type: 43,
  meaning: 'Results of assigned checks: changes at once, all others once a minute. Findings of facts that changed.',
  sequenced: true,
  bytesMax: smallFrameBytesMax,
  body: Observations,
})
