import type { ExamplesOf } from '../../examples.ts'
import type { deliveries } from './deliveries.contract.ts'
import type { webhooks } from './webhooks.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    readonly webhook: string
    readonly webhookDelivery: string
  }
}

const subject = 'organization'
/** A webhook gets the events of the whole organization. */
const hidden = { siteMember: false, otherSiteMember: false, groupMember: false, otherGroupMember: false }
const limited = { siteMember: 403, otherSiteMember: 403, groupMember: 403, otherGroupMember: 403 }
const url = 'http://127.0.0.1:9/'

export const webhooksExamples: ExamplesOf<typeof webhooks> = {
  list: { subject, lists: true, reach: hidden, input: () => ({ limit: 100 }) },
  create: {
    subject,
    refuses: { ...limited, otherOrgAdmin: 403, foreignOrgAdmin: 403 },
    input: ({ org, fresh }) => ({ orgId: org, name: `Hook ${fresh()}`, url, events: ['device.*'] }),
  },
  get: { subject, reach: hidden, input: ({ webhook }) => ({ id: webhook }) },
  update: { subject, reach: hidden, input: ({ webhook }) => ({ id: webhook, concurrency: 3 }) },
  remove: { subject, reach: hidden, input: ({ webhook }) => ({ id: webhook }) },
  test: { subject, reach: hidden, input: ({ webhook }) => ({ id: webhook }) },
}

export const deliveriesExamples: ExamplesOf<typeof deliveries> = {
  list: { subject, reach: hidden, input: ({ webhook }) => ({ id: webhook, limit: 100 }) },
  retry: {
    subject,
    reach: hidden,
    input: ({ webhook, webhookDelivery }) => ({ id: webhook, deliveryId: webhookDelivery }),
    // It can be retried once.
    answers: [409],
  },
  replay: { subject, reach: hidden, input: ({ webhook }) => ({ id: webhook, from: '2026-01-01T00:00:00Z' }) },
}
