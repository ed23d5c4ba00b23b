/**
 * Which commands were handed to which connection lately. A socket loses nothing while it lives, so who hands over a command
 * again, because the news of the first time is late, need not be obeyed.
 */
export class Delivered {
  #recent = new Map<string, number>()
  #before = new Map<string, number>()
  readonly #max: number

  /** @param max of commands remembered, about twice as many while they come fast */
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

  /** What two calls have seen is forgotten by the second. */
  forget(): void {
    this.#before = this.#recent
    this.#recent = new Map()
  }
}
