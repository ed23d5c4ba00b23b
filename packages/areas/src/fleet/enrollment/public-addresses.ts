import { ConfigError } from '@muster/kit/config.ts'
import { isExposed } from '@muster/wire/plaintext.ts'

interface Addresses {
  readonly PUBLIC_URL?: string | undefined
  readonly INGEST_PUBLIC_URL?: string | undefined
  readonly ALLOW_PLAINTEXT: boolean
}

/**
 * For what this service tells people and agents to connect to: agents judge it by the same rule and would refuse it.
 * @throws ConfigError that names the setting
 */
export function requireEncryptedAddresses({ ALLOW_PLAINTEXT, PUBLIC_URL, INGEST_PUBLIC_URL }: Addresses): void {
  if (ALLOW_PLAINTEXT) return
  // Processes pass all of their settings; these two alone are addresses that others connect to.
  const addresses = { PUBLIC_URL, INGEST_PUBLIC_URL }
  const wayOut = 'or set ALLOW_PLAINTEXT=true if whoever is on the path may control every device'
  for (const [name, address] of Object.entries(addresses)) {
    if (address === undefined || !isExposed(address)) continue
    const secure = name === 'PUBLIC_URL' ? 'https:' : 'wss:'
    throw new ConfigError(`${name} ${address} is not encrypted: give a ${secure} address, ${wayOut}`)
  }
  if (PUBLIC_URL?.startsWith('https:') && INGEST_PUBLIC_URL?.startsWith('ws:'))
    throw new ConfigError(
      `INGEST_PUBLIC_URL ${INGEST_PUBLIC_URL} is not encrypted beside ${PUBLIC_URL}: give a wss: address, ${wayOut}`,
    )
}
