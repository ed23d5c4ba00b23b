import { background } from '../../background/background.ts'
import { fileSweep } from './files.jobs.ts'

export default background({ jobs: [fileSweep] })
