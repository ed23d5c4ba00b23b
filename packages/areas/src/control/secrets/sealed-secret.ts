import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import { seal, unseal } from '@muster/kit/secrets/sealed.ts'

const contextOf = (id: string) => `secret ${id} value`

/** The stored form of a value. */
export const sealSecret = (keyring: Keyring, id: string, value: string): string => seal(keyring, value, contextOf(id))

export const openSecret = (keyring: Keyring, id: string, sealed: string): string =>
  unseal(keyring, sealed, contextOf(id))
