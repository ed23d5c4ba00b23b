import { records } from '../../../background/record.ts'
import { storeWatchdogKeys } from '../../../fleet/devices/index.ts'
import { watchdogCertificatesOf } from './watchdog-certificates.ts'

/** Stores the key that an agent reports for its watchdog. The certificate for it follows after the commit. */
export const watchdogKeys = records({
  names: ['watchdogKey'],
  keep: 'latest',
  async store(client, received, parts) {
    const given = received.map(({ deviceId, body }) => ({ deviceId, publicKey: body.publicKey }))
    const stored = await storeWatchdogKeys(client, given)
    return { afterCommit: () => watchdogCertificatesOf(parts).request(stored) }
  },
})
