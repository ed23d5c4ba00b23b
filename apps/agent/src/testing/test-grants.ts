import { randomUUID } from 'node:crypto'
import { RunScript } from '@muster/wire/commands/scripts.ts'
import { type GrantClaims, signGrant, workOf } from '@muster/wire/grants.ts'
import type { Command } from '@muster/wire/messages/command.ts'
import { type OrderKeyStatement, orderKeyId, signOrderKeys, type TrustedOrderKeys } from '@muster/wire/orders.ts'
import { newPair, type Pair } from './test-keys.ts'

/** Signs grants of scripts as admin does. */
export class TestGrants {
  readonly statements: OrderKeyStatement[] = []
  /** Newest first. */
  #pairs: Pair[] = [newPair()]

  constructor() {
    this.#say(this.newest)
  }

  get newest(): Pair {
    const [newest] = this.#pairs
    if (newest === undefined) throw new Error('There is no key pair')
    return newest
  }

  get trusted(): TrustedOrderKeys {
    return { serial: this.statements.length, keys: this.#pairs.map(({ x }) => x) }
  }

  /** Adds a new signing key. */
  rotate(): void {
    const before = this.newest
    this.#pairs = [newPair(), ...this.#pairs]
    this.#say(before)
  }

  /** Keeps only the newest key. */
  retire(): void {
    this.#pairs = [this.newest]
    this.#say(this.newest)
  }

  /** A grant for exactly this command; undefined for one that runs no valid script. */
  of(
    deviceId: string,
    { type, payload, timeoutMs, expiresAt }: Command,
    changes: Partial<GrantClaims> = {},
    by: Pair = this.newest,
  ): string | undefined {
    const script = RunScript.safeParse(payload)
    if (type !== 'run_script' || !script.success) return undefined
    const claims = {
      jti: randomUUID(),
      iat: Math.floor(Date.now() / 1_000),
      exp: Math.ceil(expiresAt / 1_000),
      by: randomUUID(),
      ...workOf(script.data, timeoutMs),
      scope: { partnerId: null, orgIds: [], deviceIds: [deviceId] },
      origin: { kind: 'command', id: randomUUID() },
      ...changes,
    }
    return signGrant(claims, { kid: orderKeyId(by.x), serial: this.statements.length, key: by.key })
  }

  #say(by: Pair): void {
    const keys = this.#pairs.map(({ x }) => x)
    this.statements.push(signOrderKeys({ serial: this.statements.length + 1, keys }, by, 'grants'))
  }
}
