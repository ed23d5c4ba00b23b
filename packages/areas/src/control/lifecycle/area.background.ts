import { background } from '../../background/background.ts'
import { certificateRenewals } from './certificates/renewals.ts'
import { watchdogCertificates } from './certificates/watchdog-certificates.jobs.ts'
import { watchdogKeys } from './certificates/watchdog-keys.records.ts'
import { clones } from './clones.jobs.ts'
import { generations } from './generations.jobs.ts'

export default background({
  jobs: [clones, generations, watchdogCertificates],
  records: [watchdogKeys],
  arrivals: [certificateRenewals],
})
