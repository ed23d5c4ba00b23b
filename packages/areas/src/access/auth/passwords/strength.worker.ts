// Judges passwords beside the event loop: a long one can take a good part of a second.
import { parentPort } from 'node:worker_threads'
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common'
import { dictionary as english, translations } from '@zxcvbn-ts/language-en'

export interface Question {
  readonly id: number
  readonly password: string
  /** What the person would think of first: name, e-mail, company. */
  readonly hints: readonly string[]
}
export interface Judgement {
  readonly id: number
  /** 0 (guessed at once) to 4. */
  readonly score: number
  readonly warning: string | null
  readonly suggestions: readonly string[]
}

const judge = new ZxcvbnFactory({
  dictionary: { ...common, ...english },
  graphs: adjacencyGraphs,
  translations,
  // With the usual hundred, a password made for the purpose keeps a core busy for seconds.
  l33tMaxSubstitutions: 20,
})

parentPort?.on('message', ({ id, password, hints }: Question) => {
  const { score, feedback } = judge.check(password, [...hints])
  parentPort?.postMessage({ id, score, ...feedback } satisfies Judgement)
})
