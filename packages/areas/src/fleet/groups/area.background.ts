import { background } from '../../background.ts'
import { groupChanges, groupSweep } from './membership.jobs.ts'

export default background({ jobs: [groupChanges, groupSweep] })
