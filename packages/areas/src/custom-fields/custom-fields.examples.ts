import type { ExamplesOf } from '../examples.ts'
import type { customFields } from './custom-fields.contract.ts'

const about = 'organization'

export const customFieldsExamples: ExamplesOf<typeof customFields> = {
  list: { about, lists: true, input: () => ({ limit: 100 }) },
  create: {
    about,
    refuses: { otherOrgAdmin: 403, foreignOrgAdmin: 403 },
    input: (stage) => ({ orgId: stage.org, key: `f${stage.fresh()}`, type: 'text' as const, label: 'Room' }),
  },
  get: { about, input: ({ customField }) => ({ id: customField }) },
  update: { about, input: ({ customField }) => ({ id: customField, label: 'Room number' }) },
  remove: { about, input: ({ customField }) => ({ id: customField }) },
  setValues: {
    about: 'device',
    input: ({ device, customFieldKey }) => ({ id: device, values: { [customFieldKey]: '12' } }),
  },
}
