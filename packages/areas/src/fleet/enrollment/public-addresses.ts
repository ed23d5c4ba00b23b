import { ConfigError } from '@muster/kit/config.ts'
import { isExposed } from '@muster/wire/plaintext.ts'

interface Addresses {
  readonly PUBLIC_URL?: string | undefined
  readonly INGEST_PUBLIC_URL?: string | undefined
  readonly ALLOW_PLAINTEXT: boolean
}

/**
 * Checks the URLs that users and agents connect to. Agents apply the same rule and would reject them.
 * @throws ConfigError with the name of the setting
 */
export function requireEncryptedAddresses({ ALLOW_PLAINTEXT, PUBLIC_URL, INGEST_PUBLIC_URL }: Addresses): void {
  if (ALLOW_PLAINTEXT) return
  // Processes pass all of their settings. Only these two are URLs that others connect to.
  const addresses = { PUBLIC_URL, INGEST_PUBLIC_URL }
  const wayOut = 'or set ALLOW_PLAINTEXT=true if any attacker on the network path may control all devices'
  for (const [name, address] of Object.entries(addresses)) {
    if (address === undefined || !isExposed(address)) continue
    const secure = name === 'PUBLIC_URL' ? 'https:' : 'wss:'
    throw new ConfigError(`${name} ${address} is not encrypted. Use a ${secure} URL, ${wayOut}`)
  }
  if (PUBLIC_URL?.startsWith('https:') && INGEST_PUBLIC_URL?.startsWith('ws:'))
    throw new ConfigError(
      `INGEST_PUBLIC_URL ${INGEST_PUBLIC_URL} is not encrypted although PUBLIC_URL ${PUBLIC_URL} is. Use a wss: URL, ${wayOut}`,
    )
}
