import type { ExamplesOf } from '../../examples.ts'
import type { health } from './health.contract.ts'

export const healthExamples: ExamplesOf<typeof health> = {
  get: { subject: 'own', input: () => ({}) },
}
