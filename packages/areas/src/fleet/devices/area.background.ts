import { background } from '../../background.ts'
import { forgetChanges } from './inventory/inventory-log.ts'
import { partitions, retention } from './metrics/retention.jobs.ts'
import { rollups } from './metrics/rollups.jobs.ts'

export default background({ jobs: [forgetChanges, partitions, retention, rollups] })
