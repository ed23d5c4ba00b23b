import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import { seal, unseal } from '@muster/kit/secrets/sealed.ts'
import { z } from 'zod'

const Headers = z.record(z.string(), z.string())
const ofSecret = (id: string) => `webhook ${id} secret`
const ofHeaders = (id: string) => `webhook ${id} headers`

export const sealSecret = (keyring: Keyring, id: string, secret: string): string => seal(keyring, secret, ofSecret(id))

export const sealHeaders = (keyring: Keyring, id: string, headers: Readonly<Record<string, string>>): string =>
  seal(keyring, JSON.stringify(headers), ofHeaders(id))

interface Sealed {
  readonly id: string
  readonly secret: string
  readonly previousSecret: string | null
  readonly previousUntil: string | null
  readonly headers: string | null
}

/** What a request to the endpoint needs: the secrets that sign now, and the additional headers. */
export function openSecrets(keyring: Keyring, row: Sealed, nowMs: number) {
  const { id, secret, previousSecret, previousUntil, headers } = row
  const previousSigns = previousSecret !== null && previousUntil !== null && Date.parse(previousUntil) > nowMs
  const sealed = [secret, ...(previousSigns ? [previousSecret] : [])]
  return {
    secrets: sealed.map((each) => unseal(keyring, each, ofSecret(id))),
    headers: headers === null ? {} : Headers.parse(JSON.parse(unseal(keyring, headers, ofHeaders(id)))),
  }
}
