import { randomInt } from 'node:crypto'
import { bootIdMax } from '@muster/wire/limits.ts'
import { certificate } from '@muster/wire/messages/certificate.ts'
import { Connection } from '../connection.ts'
import { heartbeatMsMax, heartbeatMsMin, linkRetryMs, ordersRememberedMax } from '../limits.ts'
import type { Log } from '../log.ts'
import { OrderGate } from '../orders/order-gate.ts'
import { OrderKeys } from '../orders/order-keys.ts'
import { OrderMemory } from '../orders/order-memory.ts'
import { Outbox } from '../outbox.ts'
import { pause } from '../pause.ts'
import { agentVersion } from '../version.ts'
import type { Proof, WatchdogCredential } from './credential.ts'
import type { Sight } from './supervisor.ts'

export interface ServerLineOptions {
  credential: WatchdogCredential
  ingestUrl: string | undefined
  /** Whether the watchdog may connect to an address from the server. */
  mayUse(url: string): boolean
  log: Log
}

/** The watchdog's own connection, for what the agent itself cannot report. */
export class ServerLine {
  readonly #options: ServerLineOptions
  readonly #outbox = new Outbox()
  #connection: Connection | undefined
  #proof: Proof | undefined
  #isConnected = false
  #wasTried = false
  #timer: NodeJS.Timeout | undefined
  #everyMs = 0
  #sight: Sight | undefined
  #silentSince: number | undefined

  constructor(options: ServerLineOptions) {
    this.#options = options
  }

  /** Whether the server is reachable; undefined before enrollment or the first attempt. */
  get isOnline(): boolean | undefined {
    return this.#wasTried ? this.#isConnected : undefined
  }

  /** Connects as soon as the machine is enrolled, and stays connected until stopped. */
  async run(signal: AbortSignal): Promise<void> {
    const { credential, ingestUrl, mayUse, log } = this.#options
    for (;;) {
      this.#proof = await credential.proof().catch(() => undefined)
      if (this.#proof !== undefined && mayUse(ingestUrl ?? this.#proof.enrollment.ingestUrl)) break
      await pause(linkRetryMs * 4, signal)
    }
    const bootId = randomInt(1, bootIdMax)
    const gate = await this.#createGate()
    const connection = new Connection({
      outbox: this.#outbox,
      log,
      peer: () => {
        const proof = this.#proof
        if (proof === undefined) throw new Error('unreachable: a proof is never removed')
        const { certificate, enrollment } = proof
        const prove = (nonce: Uint8Array) => proof.prove(nonce, certificate)
        const url = ingestUrl ?? enrollment.ingestUrl
        return { url, certificate, prove, bootId, agentVersion, role: 'watchdog' }
      },
      welcome: ({ heartbeatMs }) => {
        this.#isConnected = true
        this.#wasTried = true
        this.#every(heartbeatMs)
        this.#report()
      },
      message: (message) => {
        if (message.name === 'order') gate.receive(message.body)
        else if (message.name === 'certificate') gate.refuseUnsigned(certificate.type, message)
        else if (message.name === 'settings' && message.body.heartbeatMs !== undefined)
          this.#every(message.body.heartbeatMs)
      },
      ended: async () => {
        this.#isConnected = false
        this.#wasTried = true
        // The agent may have received another certificate meanwhile, for itself or for the watchdog.
        this.#proof = (await credential.proof().catch(() => undefined)) ?? this.#proof
        return false
      },
    })
    this.#connection = connection
    await connection.run(signal)
  }

  /** The agent maintains the order keys. Executed orders are kept in memory only: storing a certificate twice is harmless. */
  async #createGate(): Promise<OrderGate> {
    const { credential, log } = this.#options
    return new OrderGate({
      deviceId: () => this.#proof?.enrollment.deviceId ?? '',
      keys: await OrderKeys.open(credential.directory),
      memory: new OrderMemory(undefined, ordersRememberedMax, log),
      ask: undefined,
      obey: (message) => {
        if (message.name === 'certificate') void this.#store(message.body.certificate)
      },
      refused: ({ message: _, ...refusal }) => this.#outbox.refusal(refusal),
      log,
    })
  }

  see(sight: Sight): void {
    const isSilent = sight.agent !== 'running'
    if (!isSilent || sight.agent === 'failover') this.#silentSince = undefined
    else this.#silentSince ??= performance.now()
    const isNew = JSON.stringify(sight) !== JSON.stringify(this.#sight)
    this.#sight = sight
    if (isNew && this.#isConnected) this.#report()
  }

  stop(reason: string): void {
    clearTimeout(this.#timer)
    this.#connection?.close(reason)
    setTimeout(() => this.#connection?.terminate(), 300).unref()
  }

  #every(wantedMs: number): void {
    const everyMs = Math.min(heartbeatMsMax, Math.max(heartbeatMsMin, wantedMs))
    if (everyMs === this.#everyMs) return
    this.#everyMs = everyMs
    clearTimeout(this.#timer)
    // Watchdogs that start together do not report together.
    this.#timer = setTimeout(() => this.#beat(), Math.random() * everyMs)
  }

  #beat(): void {
    this.#timer = setTimeout(() => this.#beat(), this.#everyMs)
    if (this.#isConnected) this.#report()
  }

  #report(): void {
    const sight = this.#sight
    if (sight === undefined) return
    const { agent, version, restarts, error } = sight
    const silentMs = this.#silentSince === undefined ? undefined : Math.round(performance.now() - this.#silentSince)
    const known = { version, restarts: Math.max(0, restarts), error: error?.slice(0, 2000), silentMs }
    this.#outbox.watchdogStatus({ agent, ...known })
  }

  async #store(certificate: string): Promise<void> {
    const { credential, log } = this.#options
    const deviceId = this.#proof?.enrollment.deviceId ?? ''
    try {
      if (await credential.store(certificate, deviceId)) log.info('stored the renewed certificate')
    } catch (error) {
      log.error(`cannot store the renewed certificate: ${error instanceof Error ? error.message : error}`)
    }
  }
}
