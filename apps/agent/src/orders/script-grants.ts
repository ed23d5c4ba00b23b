import type { RunScript } from '@muster/wire/commands/scripts.ts'
import { type GrantClaims, isFor, readGrant, type SignedGrant, workOf } from '@muster/wire/grants.ts'
import type { z } from 'zod'
import type { Identity } from '../identity.ts'
import { grantToleranceMs } from '../limits.ts'
import type { OrderGate } from './order-gate.ts'
import type { OrderKeys } from './order-keys.ts'

/** Why a script is not allowed. */
export interface GrantFault {
  readonly code: 'UNSIGNED_SCRIPT' | 'GRANT_MISMATCH' | 'GRANT_EXPIRED'
  readonly words: string
}

export interface ScriptGrantsOptions {
  keys: Pick<OrderKeys, 'serial' | 'find'>
  identity: Pick<Identity, 'device'>
  /** Asks the administration server for keys, and knows the time. */
  gate(): Pick<OrderGate, 'askForGrant' | 'now'>
}

/** Checks that admin allowed a script: the command alone does not show it, because worker can send commands as well. */
export class ScriptGrants {
  readonly #options: ScriptGrantsOptions

  constructor(options: ScriptGrantsOptions) {
    this.#options = options
  }

  /** Why this script must not run; undefined if it may. */
  async faultOf(
    token: string | undefined,
    payload: z.output<typeof RunScript>,
    timeoutMs: number,
  ): Promise<GrantFault | undefined> {
    if (token === undefined) return unsigned('the server sent no grant for this script')
    const grant = readGrant(token)
    if (grant === undefined) return unsigned('the grant of this script cannot be read')
    if (!this.#knows(grant)) await this.#options.gate().askForGrant()
    const key = this.#options.keys.find(grant.kid)
    if (key === undefined) return unsigned('the agent does not trust the key that signed the grant of this script')
    if (!grant.isSignedBy(key)) return unsigned('the signature of the grant of this script is invalid')
    if (!this.#contains(grant.claims.scope)) return mismatch('the grant of this script is for other devices')
    if (!isFor(grant.claims, workOf(payload, timeoutMs, grant.claims.perDevice)))
      return mismatch('the grant is for another script')
    if (grant.claims.exp * 1_000 + grantToleranceMs >= this.#options.gate().now()) return undefined
    return { code: 'GRANT_EXPIRED', words: 'the grant of this script has expired' }
  }

  /** Whether the agent trusts the key, and has heard of all keys that were retired before this grant. */
  #knows({ kid, serial }: SignedGrant): boolean {
    const { keys } = this.#options
    return keys.find(kid) !== undefined && (keys.serial ?? 0) >= serial
  }

  #contains({ deviceIds, orgIds, partnerId }: GrantClaims['scope']): boolean {
    const own = this.#options.identity.device
    if (deviceIds.length > 0) return own.deviceId !== undefined && deviceIds.includes(own.deviceId)
    if (orgIds.length > 0) return own.orgId !== undefined && orgIds.includes(own.orgId)
    return partnerId !== null && partnerId === own.partnerId
  }
}

const unsigned = (words: string): GrantFault => ({ code: 'UNSIGNED_SCRIPT', words })
const mismatch = (words: string): GrantFault => ({ code: 'GRANT_MISMATCH', words })
