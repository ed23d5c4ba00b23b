import { randomUUID } from 'node:crypto'
import type { ExamplesOf } from '../../examples.ts'
import type { deadLetters } from './dead-letters.contract.ts'
import type { jobs } from './jobs.contract.ts'

// No job and no entry fails during the gates, so there is nothing to show or retry.
const answers = [404]

export const jobsExamples: ExamplesOf<typeof jobs> = {
  queues: { subject: 'own', input: () => ({}) },
  list: { subject: 'own', input: () => ({ limit: 100 }) },
  retry: { subject: 'own', input: () => ({ id: randomUUID() }), answers },
}

export const deadLettersExamples: ExamplesOf<typeof deadLetters> = {
  list: { subject: 'own', input: () => ({ limit: 100 }) },
  get: { subject: 'own', input: () => ({ id: '0.1767225600000-0' }), answers },
  replay: { subject: 'own', input: () => ({ id: '0.1767225600000-0' }), answers },
}
