import { createConnection, type Socket } from 'node:net'
import { AgentState, controlWords } from '../control.ts'
import { controlLineBytesMax } from '../limits.ts'
import { onLines } from '../line-reader.ts'
import type { Platform } from '../platform/platform.ts'

/** The watchdog's end of the agent's control socket. */
export class AgentLink {
  readonly closed: Promise<void>
  readonly #socket: Socket
  #state: AgentState
  #unanswered = 0
  #onState: (state: AgentState) => void = () => {}

  private constructor(socket: Socket, state: AgentState) {
    this.#socket = socket
    this.#state = state
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()))
  }

  /** Undefined when no agent listens in this data folder, or it does not report its state in time. */
  static async open(
    directory: string,
    platform: Pick<Platform, 'controlAddress'>,
    timeoutMs: number,
  ): Promise<AgentLink | undefined> {
    const address = await platform.controlAddress(directory)
    if (address === undefined) return undefined
    const socket = createConnection(address.path)
    const link = await new Promise<AgentLink | undefined>((resolve) => {
      let made: AgentLink | undefined
      const timer = setTimeout(() => socket.destroy(), timeoutMs)
      socket.on('error', () => socket.destroy())
      socket.once('close', () => resolve(undefined))
      onLines(socket, controlLineBytesMax, (line) => {
        const state = readState(line)
        if (state === undefined) return
        clearTimeout(timer)
        made ??= new AgentLink(socket, state)
        made.#update(state)
        resolve(made)
      })
    })
    await address.close()
    return link
  }

  get state(): AgentState {
    return this.#state
  }

  /** Consecutive requests without an answer. */
  get unanswered(): number {
    return this.#unanswered
  }

  /** Called with the current state, and after each change. */
  watch(onState: (state: AgentState) => void): void {
    this.#onState = onState
    onState(this.#state)
  }

  ask(): void {
    this.#unanswered++
    this.#socket.write(`${controlWords.ask}\n`)
  }

  /** Notifies the agent that the update journal has something to report. */
  notifyNews(): void {
    this.#socket.write(`${controlWords.news}\n`)
  }

  /** Asks the agent to end. */
  end(): void {
    this.#socket.write(`${controlWords.end}\n`)
  }

  close(): void {
    this.#onState = () => {}
    this.#socket.destroy()
  }

  #update(state: AgentState): void {
    this.#unanswered = 0
    const isNew = JSON.stringify(state) !== JSON.stringify(this.#state)
    this.#state = state
    if (isNew) this.#onState(state)
  }
}

function readState(line: string): AgentState | undefined {
  try {
    return AgentState.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}
