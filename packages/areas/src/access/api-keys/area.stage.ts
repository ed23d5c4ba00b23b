import { call } from '@muster/testkit/call.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import { keys } from './keys.contract.ts'

export default stagePart(async ({ world: { partnerAdmin }, marks }) => {
  const { id } = await call(partnerAdmin, keys.create, { name: `Key ${marks.partner}`, scopes: ['devices:read'] })
  return { apiKey: id }
})
