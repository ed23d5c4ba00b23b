import type { ExamplesOf } from '../../examples.ts'
import type { filters } from './filters.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    readonly filter: string
  }
}

const filter = { field: 'hostname', op: 'contains', value: 'sample' } as const

export const filtersExamples: ExamplesOf<typeof filters> = {
  fields: { subject: 'own', input: () => ({}) },
  preview: { subject: 'device', lists: true, input: () => ({ filter }) },
  list: { subject: 'organization', lists: true, input: () => ({ limit: 100 }) },
  create: { subject: 'own', input: (stage) => ({ name: stage.fresh(), filter }) },
  get: { subject: 'organization', input: (stage) => ({ id: stage.filter }) },
  // Only its owner changes a filter, however it is shared.
  update: { subject: 'organization', answers: [403], input: (stage) => ({ id: stage.filter, name: stage.fresh() }) },
  remove: { subject: 'organization', answers: [403], input: (stage) => ({ id: stage.filter }) },
  previewSaved: { subject: 'organization', hidesSubject: true, input: (stage) => ({ id: stage.filter }) },
}
