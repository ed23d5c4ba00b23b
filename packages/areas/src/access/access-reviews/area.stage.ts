import { call } from '@muster/testkit/call.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import usersStage from '../users/area.stage.ts'
import { reviews } from './reviews.contract.ts'

export default stagePart(async (setting) => {
  // A review lists the members that there are when it is made.
  await usersStage(setting)
  const { partnerAdmin } = setting.world
  const { id } = await call(partnerAdmin, reviews.create, { name: `Review ${setting.marks.partner}` })
  const { items } = await call(partnerAdmin, reviews.get, { id })
  return { review: id, reviewItem: items[0]?.id ?? '' }
})
