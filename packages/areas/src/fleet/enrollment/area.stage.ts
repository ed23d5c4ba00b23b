import { call } from '@muster/testkit/call.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import { keys } from './keys/keys.contract.ts'

export default stagePart(async ({ world: { partnerAdmin, org }, marks }) => {
  const given = { orgId: org.id, name: `Key ${marks.organization}` }
  const open = { orgId: org.id, name: `Open key ${marks.organization}`, maxUsage: null, expiresAt: null }
  return {
    enrollmentKey: (await call(partnerAdmin, keys.create, given)).id,
    openEnrollmentKey: (await call(partnerAdmin, keys.create, open)).id,
  }
})
