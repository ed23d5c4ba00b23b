import { call } from '@muster/testkit/call.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import { secrets } from './secrets.contract.ts'

export default stagePart(async ({ world: { org, partnerAdmin }, marks }) => {
  const name = `secret-${marks.organization}`
  const { id } = await call(partnerAdmin, secrets.create, { orgId: org.id, name, value: 'a value' })
  return { secret: id }
})
