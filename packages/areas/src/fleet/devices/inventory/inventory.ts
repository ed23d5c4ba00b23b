import { paged } from '@muster/db/page.ts'
import { implement } from '../../../operation.ts'
import { within } from '../../../tenancy/tenancy/index.ts'
import { deviceById } from '../devices.queries.ts'
import { inventory as contract, InventoryChange } from './inventory.contract.ts'
import { withTimes } from './inventory-times.ts'

const shown = ({ before, after, ...change }: InventoryChange): InventoryChange => ({
  ...change,
  before: before && withTimes(before),
  after: after && withTimes(after),
})

export default implement(contract, {
  async changes({ caller, input: { id, section, page, limit }, db, services }) {
    await deviceById(db, caller, id, services.clock.now())
    const found = db
      .selectFrom('deviceInventoryLog')
      .where('deviceId', '=', id)
      .where(within(caller, 'orgId', 'partnerId'))
      .$if(section !== undefined, (query) => query.where('section', '=', section ?? 'hardware'))
    const { data, pagination } = await paged(
      found.select(['id', 'at', 'section', 'action', 'name', 'before', 'after']).orderBy('at', 'desc').orderBy('id'),
      { page, limit },
    )
    return { data: data.map((row) => shown(InventoryChange.parse(row))), pagination }
  },
})
