import { background } from '../../background/background.ts'
import { groupChanges, groupSweep } from './membership.jobs.ts'

export default background({ jobs: [groupChanges, groupSweep] })
