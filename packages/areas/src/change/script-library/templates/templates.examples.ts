import type { ExamplesOf } from '../../../examples.ts'
import type { templates } from './templates.contract.ts'

/** "Check a mount" of the library. */
const templateId = '5669c1cf-e754-5f11-97e1-e0649aea502f'

export const templatesExamples: ExamplesOf<typeof templates> = {
  list: { subject: 'own', input: () => ({ language: 'bash' as const }) },
  fill: {
    subject: 'organization',
    refuses: {
      ...{ siteMember: 403, otherSiteMember: 403, groupMember: 403, otherGroupMember: 403 },
      ...{ otherOrgAdmin: 403, foreignOrgAdmin: 403 },
    },
    input: (stage) => ({
      ...{ templateId, orgId: stage.org, name: `Filled ${stage.fresh()}` },
      values: { mount_point: '/srv', writable: true },
    }),
  },
}
