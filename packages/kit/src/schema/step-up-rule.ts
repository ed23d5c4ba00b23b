/** Only the handler can tell whether this call takes a proof. It says so with `call.stepUp()`. */
export interface StepUpWhen {
  readonly when: string
}
/** The effect does not outlive the session, or is protected in another way. */
export interface NoStepUp {
  readonly never: string
}
/**
 * `always`: every call takes a fresh proof, checked before the handler runs. `stepUpWhen`: some calls do. `noStepUp`: none
 * does, for the reason given. Null: the operation changes nothing that outlives the session.
 */
export type StepUp = 'always' | StepUpWhen | NoStepUp | null
