import { call } from '@muster/testkit/call.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import { categories } from './categories.contract.ts'
import { tags } from './tags.contract.ts'

export default stagePart(async ({ world: { partnerAdmin, org }, marks }) => {
  const owned = { orgId: org.id }
  const category = await call(partnerAdmin, categories.create, { ...owned, name: `Category ${marks.organization}` })
  const tag = await call(partnerAdmin, tags.create, { ...owned, name: `tag-${marks.organization}` })
  return { scriptCategory: category.id, scriptTag: tag.id }
})
