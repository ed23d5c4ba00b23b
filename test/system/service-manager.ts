import { type ChildProcess, spawn } from 'node:child_process'

/** Acts like a service manager: restarts a program whenever it ends, as its unit says. */
export class ServiceManager {
  readonly #args: readonly string[]
  readonly #env: Readonly<Record<string, string>>
  readonly #again: string
  #child: ChildProcess | undefined
  #isOver = false
  output = ''

  /** @param first the program of the first start; `again` that of later starts */
  constructor(unit: { first: string; again: string; args: readonly string[]; env?: Readonly<Record<string, string>> }) {
    this.#args = unit.args
    this.#env = unit.env ?? {}
    this.#again = unit.again
    this.#start(unit.first)
  }

  get pid(): number {
    return this.#child?.pid ?? -1
  }

  /** Stops the program gracefully. */
  async stop(): Promise<void> {
    this.#isOver = true
    const child = this.#child
    const ended = new Promise((resolve) => child?.once('exit', resolve))
    if (child?.exitCode === null && child.signalCode === null && child.kill('SIGTERM')) await ended
  }

  #start(file: string): void {
    if (this.#isOver) return
    const child = spawn(file, this.#args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...this.#env } })
    this.#child = child
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (piece: Buffer) => {
        this.output += piece.toString()
      })
    child.once('exit', () => setTimeout(() => this.#start(this.#again), 200))
    child.once('error', () => undefined)
  }
}
