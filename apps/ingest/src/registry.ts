import type { Connection } from './connection.ts'
import type { Limits } from './limits.ts'
import { WaitingPlaces } from './waiting-places.ts'

/** The connections of this process: those that still have to say hello, and one per live device and role. */
export class Registry {
  readonly waiting: WaitingPlaces
  readonly #live = new Map<string, Connection>()
  #numbers = 0

  constructor(limits: Limits) {
    this.waiting = new WaitingPlaces(limits)
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

  /** Makes a connection the one of its device and returns the one that it replaces. */
  enter(connection: Connection): Connection | undefined {
    const before = this.#live.get(connection.field)
    this.waiting.give(connection)
    this.#live.set(connection.field, connection)
    return before
  }

  /** Removes a connection; false when its device has a newer one by now. */
  leave(connection: Connection): boolean {
    this.waiting.give(connection)
    if (this.#live.get(connection.field) !== connection) return false
    this.#live.delete(connection.field)
    return true
  }

  /** Visits all of them without making anything for it, as an iterator would for each. */
  visit(each: (connection: Connection) => void): void {
    this.waiting.visit(each)
    this.#live.forEach(each)
  }

  connections(): IterableIterator<Connection> {
    return this.#live.values()
  }
}
