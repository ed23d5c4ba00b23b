import { background } from '../../background/background.ts'
import { changeFeed } from './changes/change-feed.jobs.ts'
import { inventories } from './inventory/inventory.records.ts'
import { forgetChanges } from './inventory/inventory-log.ts'
import { partitions, retention } from './metrics/retention.jobs.ts'
import { rollups } from './metrics/rollups.jobs.ts'
import { watchdogStatuses } from './state/watchdog.records.ts'

export default background({
  jobs: [changeFeed, forgetChanges, partitions, retention, rollups],
  records: [watchdogStatuses, inventories],
})
