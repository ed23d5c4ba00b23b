import type { ExamplesOf } from '../../examples.ts'
import type { customFields } from './custom-fields.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    readonly customField: string
    readonly customFieldKey: string
  }
}

const subject = 'organization'
/** A field concerns every device of its organization. */
const limited = { siteMember: 403, otherSiteMember: 403, groupMember: 403, otherGroupMember: 403 }

export const customFieldsExamples: ExamplesOf<typeof customFields> = {
  list: { subject, lists: true, input: () => ({ limit: 100 }) },
  create: {
    subject,
    refuses: { ...limited, otherOrgAdmin: 403, foreignOrgAdmin: 403 },
    input: (stage) => ({ orgId: stage.org, key: `f${stage.fresh()}`, type: 'text' as const, label: 'Room' }),
  },
  get: { subject, input: ({ customField }) => ({ id: customField }) },
  update: { subject, refuses: limited, input: ({ customField }) => ({ id: customField, label: 'Room number' }) },
  remove: { subject, refuses: limited, input: ({ customField }) => ({ id: customField }) },
  setValues: {
    subject: 'device',
    input: ({ device, customFieldKey }) => ({ id: device, values: { [customFieldKey]: '12' } }),
  },
}
