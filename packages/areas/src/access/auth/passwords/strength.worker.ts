// Rates passwords outside of the event loop, because a long one can take a large part of a second.
import { parentPort } from 'node:worker_threads'
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common'
import { dictionary as english, translations } from '@zxcvbn-ts/language-en'

export interface Question {
  readonly id: number
  readonly password: string
  /** Words that the user would think of first: name, email, company. */
  readonly hints: readonly string[]
}
export interface Judgment {
  readonly id: number
  /** 0 (guessed at once) to 4 (strong). */
  readonly score: number
  readonly warning: string | null
  readonly suggestions: readonly string[]
}

const judge = new ZxcvbnFactory({
  dictionary: { ...common, ...english },
  graphs: adjacencyGraphs,
  translations,
  // With the default of 100, a crafted password keeps a core busy for seconds.
  l33tMaxSubstitutions: 20,
})

parentPort?.on('message', ({ id, password, hints }: Question) => {
  const { score, feedback } = judge.check(password, [...hints])
  parentPort?.postMessage({ id, score, ...feedback } satisfies Judgment)
})
