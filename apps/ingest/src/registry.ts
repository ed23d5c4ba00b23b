import type { Connection } from './connection.ts'
import type { Limits } from './limits.ts'
import { WaitingSlots } from './waiting-slots.ts'

/** The connections of this process: those that have not sent a hello yet, and one per live device and role. */
export class Registry {
  readonly waiting: WaitingSlots
  readonly #live = new Map<string, Connection>()
  #numbers = 0

  constructor(limits: Limits) {
    this.waiting = new WaitingSlots(limits)
  }

  get live(): number {
    return this.#live.size
  }

  get size(): number {
    return this.#live.size + this.waiting.size
  }

  nextNumber(): number {
    return ++this.#numbers
  }

  find(field: string): Connection | undefined {
    return this.#live.get(field)
  }

  /** Registers a connection for its device and returns the one that it replaces. */
  enter(connection: Connection): Connection | undefined {
    const before = this.#live.get(connection.field)
    this.waiting.release(connection)
    this.#live.set(connection.field, connection)
    return before
  }

  /** Removes a connection; false when its device has a newer one. */
  leave(connection: Connection): boolean {
    this.waiting.release(connection)
    if (this.#live.get(connection.field) !== connection) return false
    this.#live.delete(connection.field)
    return true
  }

  /** Visits all connections without the allocation per entry that an iterator needs. */
  visit(each: (connection: Connection) => void): void {
    this.waiting.visit(each)
    this.#live.forEach(each)
  }

  connections(): IterableIterator<Connection> {
    return this.#live.values()
  }
}
