/**
 * Which commands were recently sent on which connection. A live socket loses nothing, so a command that is sent again
 * because the confirmation of the first time is late can be dropped.
 */
export class RecentDeliveries {
  #recent = new Map<string, number>()
  #before = new Map<string, number>()
  readonly #max: number

  /** @param max number of commands remembered; about twice as many while they arrive fast */
  constructor(max: number) {
    this.#max = max
  }

  has(commandId: string, connection: number): boolean {
    return (this.#recent.get(commandId) ?? this.#before.get(commandId)) === connection
  }

  add(commandId: string, connection: number): void {
    if (this.#recent.size >= this.#max) this.forget()
    this.#recent.set(commandId, connection)
  }

  /** The agent on this connection asks for the command again. */
  remove(commandId: string, connection: number): void {
    if (!this.has(commandId, connection)) return
    this.#recent.delete(commandId)
    this.#before.delete(commandId)
  }

  /** Forgets an entry at the second call after it was added. */
  forget(): void {
    this.#before = this.#recent
    this.#recent = new Map()
  }
}
