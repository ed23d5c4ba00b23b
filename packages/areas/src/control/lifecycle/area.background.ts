import { background } from '../../background.ts'
import { clones } from './clones.jobs.ts'
import { generations } from './generations.jobs.ts'

export default background({ jobs: [clones, generations] })
