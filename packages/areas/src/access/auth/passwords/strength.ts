import { AskedThread } from '@muster/kit/asked-thread.ts'
import { invalid, unavailable } from '@muster/kit/errors.ts'
import type { Judgment, Question } from './strength.worker.ts'

export const passwordLengthMin = 8
export const passwordLengthMax = 256
/** Characters beyond this length cannot make a password weaker, so they are not checked. */
const judgedLength = 64
const scoreMin = 3

const thread = new AskedThread<Omit<Question, 'id'>, Judgment>(new URL('./strength.worker.ts', import.meta.url), {
  waitingMax: 64,
  answerMs: 5_000,
})

async function judge(password: string, hints: readonly string[]): Promise<Judgment> {
  const judgment = await thread.ask({ password, hints })
  if (judgment === 'busy') throw unavailable('Too many new passwords at once', 1)
  if (judgment === 'late') throw unavailable('The strength of the password cannot be checked at the moment', 2)
  return judgment
}

/**
 * Rejects a new password that is too short or easy to guess, and says why.
 * @param hints words that a person who knows the user would try first: name, email, company
 * @throws VALIDATION_ERROR
 */
export async function requireStrongPassword(password: string, hints: readonly string[] = []): Promise<void> {
  if (password.length < passwordLengthMin) {
    throw invalid(`The password must have at least ${passwordLengthMin} characters`)
  }
  if (password.length > passwordLengthMax) {
    throw invalid(`The password must have at most ${passwordLengthMax} characters`)
  }
  const known = hints.flatMap((hint) => [hint, ...hint.split(/[^\p{L}\p{N}]+/u)]).filter((part) => part.length > 2)
  const { score, warning, suggestions } = await judge(password.slice(0, judgedLength), [
    'muster',
    ...known.slice(0, 20),
  ])
  if (score >= scoreMin) return
  const why = [warning, ...suggestions].filter((text) => text !== null && text !== '').join(' ')
  throw invalid(`The password is too easy to guess. ${why}`.trim(), { score, warning, suggestions })
}
