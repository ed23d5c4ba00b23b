import type { Certificate } from '@muster/wire/messages/certificate.ts'
import type { Identity } from './identity.ts'
import type { Log } from './log.ts'
import type { WatchdogCredential } from './watchdog/credential.ts'

/** Stores a certificate of the server for the agent or its watchdog. Never rejects. */
export async function storeCertificate(
  { certificate, role }: Certificate,
  { identity, watchdog, deviceId }: { identity: Identity; watchdog: WatchdogCredential; deviceId: string },
  log: Log,
): Promise<void> {
  const isWatchdogs = role === 'watchdog'
  try {
    const isKept = isWatchdogs ? await watchdog.store(certificate, deviceId) : await identity.renew(certificate)
    if (!isKept) log.warn('ignored a certificate that is not for this device and key')
    else log.info(isWatchdogs ? 'stored the certificate of the watchdog' : 'stored the renewed device certificate')
  } catch (error) {
    log.error(`cannot store a certificate: ${error instanceof Error ? error.message : error}`)
  }
}
