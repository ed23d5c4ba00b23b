import { Worker } from 'node:worker_threads'
import { invalid, unavailable } from '@muster/kit/errors.ts'
import type { Judgment } from './strength.worker.ts'

export const passwordLengthMin = 8
export const passwordLengthMax = 256
/** Characters beyond this length cannot make a password weaker, so they are not checked. */
const judgedLength = 64
const scoreMin = 3
const waitingMax = 64
const answerMs = 5_000

interface Waiting {
  readonly answer: (judgment: Judgment) => void
  readonly fail: (error: unknown) => void
}
let worker: Worker | null = null
const waiting = new Map<number, Waiting>()
let questions = 0

function failAll(error: unknown): void {
  worker = null
  for (const { fail } of waiting.values()) fail(error)
  waiting.clear()
}

/** One thread for all checks, started with the first. It does not keep the process alive. */
function started(): Worker {
  if (worker !== null) return worker
  const made = new Worker(new URL('./strength.worker.ts', import.meta.url))
  made.unref()
  made.on('message', (judgment: Judgment) => {
    waiting.get(judgment.id)?.answer(judgment)
    waiting.delete(judgment.id)
  })
  made.on('error', failAll)
  made.on('exit', () => failAll(new Error('the password strength thread exited')))
  worker = made
  return made
}

function judge(password: string, hints: readonly string[]): Promise<Judgment> {
  if (waiting.size >= waitingMax) throw unavailable('Too many new passwords at once', 1)
  const id = ++questions
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      waiting.delete(id)
      reject(unavailable('The strength of the password cannot be checked at the moment', 2))
    }, answerMs)
    const settled =
      <T>(settle: (value: T) => void) =>
      (value: T) => {
        clearTimeout(timer)
        settle(value)
      }
    waiting.set(id, { answer: settled(resolve), fail: settled(reject) })
    started().postMessage({ id, password, hints })
  })
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
