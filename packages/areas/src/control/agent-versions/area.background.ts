import { background } from '../../background/background.ts'
import { releaseMetadata, releases } from './publish.jobs.ts'

export default background({ jobs: [releaseMetadata, releases] })
