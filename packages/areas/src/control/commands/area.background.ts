import { background } from '../../background.ts'
import { commandStops } from './stops/stops.jobs.ts'

export default background({ jobs: [commandStops] })
