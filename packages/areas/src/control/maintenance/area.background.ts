import { background } from '../../background/background.ts'
import { maintenanceClock, maintenanceSchedule } from './clock.jobs.ts'

export default background({ jobs: [maintenanceClock, maintenanceSchedule] })
