import { call } from '@muster/testkit/call.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import { customFields } from './custom-fields.contract.ts'

export default stagePart(async ({ world, marks }) => {
  const key = `f_${marks.organization}`
  const given = { orgId: world.org.id, key, type: 'text' as const, label: 'Room' }
  return { customField: (await call(world.partnerAdmin, customFields.create, given)).id, customFieldKey: key }
})
