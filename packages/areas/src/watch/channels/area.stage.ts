import { call } from '@muster/testkit/call.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import { alertChannels } from './channels.contract.ts'

export default stagePart(async ({ world: { org, partnerAdmin }, marks }) => {
  const given = { orgId: org.id, name: `Channel ${marks.organization}`, type: 'webhook' as const }
  const { id } = await call(partnerAdmin, alertChannels.create, { ...given, config: { url: 'http://127.0.0.1:9/' } })
  return { alertChannel: id }
})
