import type { Facts, Inventory } from '@muster/wire/messages/inventory.ts'
import type { Random } from './backoff.ts'
import { collectInventory } from './inventory.ts'
import { inventoryEveryMs, inventoryJitterMs } from './limits.ts'
import type { Log } from './log.ts'
import type { Outbox } from './outbox.ts'
import type { Settings } from './settings.ts'

export interface InventoryReporterOptions {
  facts: () => Promise<Facts>
  outbox: Outbox
  settings: Settings
  /** Called after each collection. */
  collected?: () => void
  log: Log
  random?: Random
  collect?: typeof collectInventory
}

/** Sends the inventory when the server has not acknowledged the current one: after the first welcome, then periodically. */
export class InventoryReporter {
  readonly #options: InventoryReporterOptions
  readonly #stop = new AbortController()
  #started = false
  #timer: NodeJS.Timeout | undefined
  #running: Promise<Inventory> | undefined

  constructor(options: InventoryReporterOptions) {
    this.#options = options
  }

  /** Call after each welcome. Only the first call starts the reports; later changes wait for the next interval. */
  start(): void {
    if (this.#started) return
    this.#started = true
    const random = this.#options.random ?? Math.random
    const isKnown = this.#options.settings.inventoryHash !== undefined
    this.#schedule(isKnown ? random() * inventoryJitterMs : 0)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#stop.abort()
  }

  /** Collects and sends now, changed or not. */
  async refresh(): Promise<Inventory> {
    const inventory = await this.#collect()
    this.#send(inventory)
    return inventory
  }

  #schedule(afterMs: number): void {
    if (this.#stop.signal.aborted) return
    this.#timer = setTimeout(() => void this.#report(), afterMs)
  }

  async #report(): Promise<void> {
    try {
      const inventory = await this.#collect()
      if (inventory.hash !== this.#options.settings.inventoryHash) this.#send(inventory)
    } catch (error) {
      if (this.#stop.signal.aborted) return
      this.#options.log.error(`cannot collect the inventory: ${error instanceof Error ? error.message : error}`)
    }
    this.#schedule(inventoryEveryMs)
  }

  #send(inventory: Inventory): void {
    const { outbox, settings, log } = this.#options
    outbox.inventory(inventory, () => {
      log.info('the server has the inventory of this machine', { hash: inventory.hash })
      settings.change({ inventoryHash: inventory.hash }).catch((error: unknown) => {
        log.error(`cannot store the hash of the inventory: ${error instanceof Error ? error.message : error}`)
      })
    })
  }

  /** Concurrent requests share one collection. */
  #collect(): Promise<Inventory> {
    const collect = this.#options.collect ?? collectInventory
    this.#running ??= this.#options
      .facts()
      .then((facts) => collect(facts, this.#stop.signal))
      .finally(() => {
        this.#running = undefined
        this.#options.collected?.()
      })
    return this.#running
  }
}
