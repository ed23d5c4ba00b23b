import type { AssignedCheck, Check } from '@muster/wire/messages/assignment.ts'
import type { CheckState } from '@muster/wire/messages/observations.ts'

/** What one round of a check found. */
export interface Finding {
  readonly state: CheckState
  /** How long it took, if the target answered. */
  readonly ms?: number
  /** The number that was measured. */
  readonly value?: number
  /** Why the state is not `ok`. */
  readonly text?: string
  readonly certificateExpiresAt?: number
}

export type CheckType = Check['type']
export type CheckOf<Type extends CheckType> = Extract<Check, { type: Type }>

/** One round. It may throw: then the state is `unknown`, for the reason in the error. The signal ends it when its time is up. */
export type Checker<Type extends CheckType> = (
  check: CheckOf<Type>,
  assigned: AssignedCheck,
  signal: AbortSignal,
) => Promise<Finding>

/** How this machine does the checks. One that is missing is reported as `unknown`. */
export type Checkers = { readonly [Type in CheckType]?: Checker<Type> }
