import { call } from '@muster/testkit/call.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import { filters } from './filters.contract.ts'

export default stagePart(async ({ world, marks }) => {
  const filter = { field: 'hostname', op: 'contains', value: 'sample' }
  const { id } = await call(world.orgAdmin, filters.create, { name: marks.organization, filter, shared: true })
  return { filter: id }
})
