import { takesSecrets } from '@muster/wire/commands/scripts.ts'
import type { Command } from '@muster/wire/messages/command.ts'
import { SealingKey, type SecretValues } from '@muster/wire/sealing.ts'
import type { Identity } from '../identity.ts'

/** Why the secrets of a script cannot be used. */
export interface SecretFault {
  readonly code: 'SECRET_NOT_FOUND' | 'SECRETS_UNREADABLE'
  readonly words: string
}

type Opened = { readonly values: SecretValues } | { readonly fault: SecretFault }

/** Opens the secrets of scripts. Its key lasts as long as this process, so nothing on the disk opens what was sent. */
export class ScriptSecrets {
  readonly #key = new SealingKey()
  readonly #identity: Pick<Identity, 'stateKey'>

  constructor(identity: Pick<Identity, 'stateKey'>) {
    this.#identity = identity
  }

  /** The key to which the server seals secrets; undefined before the enrollment. */
  get statement(): string | undefined {
    return this.#identity.stateKey(this.#key)
  }

  /** Whether the secrets of a command were sealed to another key, such as that of the process before, or are missing. */
  areLost({ payload, sealed }: Pick<Command, 'payload' | 'sealed'>): boolean {
    return takesSecrets(payload) && !this.#key.fits(sealed)
  }

  /** The values of the variables that take secrets. */
  open(secrets: Readonly<Record<string, string>> = {}, sealed: Uint8Array | undefined, commandId: string): Opened {
    const names = Object.entries(secrets)
    if (names.length === 0) return { values: {} }
    const opened = this.#openAll(sealed, commandId)
    if (opened === undefined)
      return { fault: { code: 'SECRETS_UNREADABLE', words: 'the secrets were sealed for another command or altered' } }
    const values: Record<string, string> = {}
    for (const [variable, name] of names) {
      const value = opened[variable]
      if (value === undefined)
        return { fault: { code: 'SECRET_NOT_FOUND', words: `the server has no secret ${name} for this device` } }
      values[variable] = value
    }
    return { values }
  }

  #openAll(sealed: Uint8Array | undefined, commandId: string): SecretValues | undefined {
    if (sealed === undefined) return undefined
    try {
      return this.#key.open(sealed, commandId)
    } catch {
      return undefined
    }
  }
}
