// The fresh proof that operations with `stepUp` require. The console loads this file.
import { z } from 'zod'
import type { StepUp, StepUpWhen } from './step-up-rule.ts'

/**
 * The fields of a proof. Every operation that can ask for one takes them in its body, beside its own. They never reach the
 * handler, the audit log or the hash of a request.
 */
export const proofFields = {
  currentPassword: z.string().min(1).max(1024).optional(),
  /** Of the second factor: from an authenticator app, an SMS, or a recovery code. */
  code: z.string().trim().min(1).max(64).optional(),
} as const
export const Proof = z.object(proofFields)
export type Proof = z.infer<typeof Proof>
export type ProofField = keyof typeof proofFields

/** Does the operation ever take a proof? */
export const takesProof = (stepUp: StepUp): boolean => stepUp !== null && (stepUp === 'always' || 'when' in stepUp)

/** What callers send: their input, and the proof where one can be asked for. */
export type WithProof<Wire, S> = S extends 'always' | StepUpWhen
  ? Wire extends Record<string, never>
    ? Proof
    : Wire & Proof
  : Wire

/** What a call has shown. Nothing where the session was fresh. */
export interface Proved {
  readonly shown: readonly ProofField[]
  /** The kind of the code that was used up; null when none was asked for. */
  readonly code: string | null
}
