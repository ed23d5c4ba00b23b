import { everywhere } from '../../../background/job.ts'
import { watchdogCertificatesOf } from './watchdog-certificates.ts'

/** Each worker answers the requests that it stored. */
export const watchdogCertificates = everywhere(500, 'watchdog-certificates', (parts) =>
  watchdogCertificatesOf(parts).answer(),
)
