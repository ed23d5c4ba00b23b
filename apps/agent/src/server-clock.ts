/** The server's time, from each welcome: the machine's own clock may be days off. */
export class ServerClock {
  #offsetMs = Date.now() - performance.now()

  learn(serverTimeMs: number): void {
    this.#offsetMs = serverTimeMs - performance.now()
  }

  now(): number {
    return performance.now() + this.#offsetMs
  }
}
