import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import { seal, unseal } from '@muster/kit/secrets/sealed.ts'

/** How long the previous secret is accepted too. */
export const previousSecretMs = 86_400_000

const purpose = (automationId: string) => `automation ${automationId} trigger`

export const sealTriggerSecret = (keyring: Keyring, automationId: string, secret: string): string =>
  seal(keyring, secret, purpose(automationId))

interface Sealed {
  readonly id: string
  readonly secret: string | null
  readonly previousSecret: string | null
  readonly previousUntil: string | null
}

/** The secrets that sign a trigger now: the newest, and the one before while it is rotated. */
export function triggerSecrets(keyring: Keyring, row: Sealed, nowMs: number): string[] {
  const { id, secret, previousSecret, previousUntil } = row
  const isPreviousValid = previousUntil !== null && Date.parse(previousUntil) > nowMs
  const sealed = [secret, isPreviousValid ? previousSecret : null].flatMap((each) => each ?? [])
  return sealed.map((each) => unseal(keyring, each, purpose(id)))
}
