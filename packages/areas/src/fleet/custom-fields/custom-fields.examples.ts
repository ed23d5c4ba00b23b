import type { ExamplesOf } from '../../examples.ts'
import type { customFields } from './custom-fields.contract.ts'

const about = 'organization'
/** A field concerns every device of its organization. */
const limited = { siteMember: 403, otherSiteMember: 403, groupMember: 403, otherGroupMember: 403 }

export const customFieldsExamples: ExamplesOf<typeof customFields> = {
  list: { about, lists: true, input: () => ({ limit: 100 }) },
  create: {
    about,
    refuses: { ...limited, otherOrgAdmin: 403, foreignOrgAdmin: 403 },
    input: (stage) => ({ orgId: stage.org, key: `f${stage.fresh()}`, type: 'text' as const, label: 'Room' }),
  },
  get: { about, input: ({ customField }) => ({ id: customField }) },
  update: { about, refuses: limited, input: ({ customField }) => ({ id: customField, label: 'Room number' }) },
  remove: { about, refuses: limited, input: ({ customField }) => ({ id: customField }) },
  setValues: {
    about: 'device',
    input: ({ device, customFieldKey }) => ({ id: device, values: { [customFieldKey]: '12' } }),
  },
}
