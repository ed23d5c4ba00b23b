import type { ExamplesOf } from '../../examples.ts'
import type { filters } from './filters.contract.ts'

const filter = { field: 'hostname', op: 'contains', value: 'sample' } as const

export const filtersExamples: ExamplesOf<typeof filters> = {
  fields: { about: 'own', input: () => ({}) },
  preview: { about: 'device', lists: true, input: () => ({ filter }) },
  list: { about: 'organization', lists: true, input: () => ({ limit: 100 }) },
  create: { about: 'own', input: (stage) => ({ name: stage.fresh(), filter }) },
  get: { about: 'organization', input: (stage) => ({ id: stage.filter }) },
  // Only its owner changes a filter, however it is shared.
  update: { about: 'organization', answers: [403], input: (stage) => ({ id: stage.filter, name: stage.fresh() }) },
  remove: { about: 'organization', answers: [403], input: (stage) => ({ id: stage.filter }) },
  previewSaved: { about: 'organization', quiet: true, input: (stage) => ({ id: stage.filter }) },
}
