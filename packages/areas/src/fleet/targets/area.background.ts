import { background } from '../../background/background.ts'
import { filterChanges, filterSweep } from './followed-filters.jobs.ts'

export default background({ jobs: [filterChanges, filterSweep] })
