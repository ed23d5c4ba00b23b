// A request that needs a fresh proof of identity waits for the dialog and is then repeated.
import { createStore } from './store.ts'

/** The proof that the server asks for. Empty: only a new sign-in helps. */
export interface Wanted {
  readonly fields: readonly ('currentPassword' | 'code')[]
  readonly codeKinds: readonly string[]
}
interface Question {
  readonly wanted: Wanted
  answer(isProved: boolean): void
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : []

/** The proof that a refusal asks for; null when it has another reason. */
export function wantedBy(refusal: unknown): Wanted | null {
  if (!isRecord(refusal) || refusal.confirm !== 'currentPassword') return null
  const named = textsOf(refusal.confirmFields)
  const fields = (['currentPassword', 'code'] as const).filter((field) => named.includes(field))
  return { fields, codeKinds: textsOf(refusal.codeKinds) }
}

export const proofQuestion = createStore<Question | null>(null)
let asking: Promise<boolean> | null = null

/** Asks the user once, however many requests wait for it. @returns false when the user cancels */
export function askForProof(wanted: Wanted): Promise<boolean> {
  asking ??= new Promise<boolean>((resolve) => proofQuestion.set({ wanted, answer: resolve })).finally(() => {
    asking = null
    proofQuestion.set(null)
  })
  return asking
}
