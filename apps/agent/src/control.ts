import { createServer, type Server, type Socket } from 'node:net'
import { z } from 'zod'
import { controlLineBytesMax } from './limits.ts'
import { onLines } from './line-reader.ts'
import type { Platform } from './platform/platform.ts'

/** The state that an agent reports to the watchdog on its machine. */
export const AgentState = z.object({
  pid: z.int(),
  version: z.string(),
  /** Whether the server has welcomed it since its start, and it is connected now. */
  welcomed: z.boolean(),
  connected: z.boolean(),
  /** Whether the server has acknowledged a heartbeat of this process. */
  acknowledged: z.boolean(),
})
export type AgentState = z.infer<typeof AgentState>

/** The file in the data folder that is the control socket, or names it. */
export const controlFile = 'agent.sock'
/** The words of a watchdog: a request for the state, a notice that the update journal has news, or a request to end. */
export const controlWords = { ask: 'state', news: 'news', end: 'end' } as const

/** What the agent does on a word of the watchdog. */
export interface ControlActions {
  news: () => void
  end: () => void
}

/**
 * The control socket for the watchdog, in the data folder, where only its owner can reach it. One line of state at once,
 * after each change, and after each incoming line. An answer shows that the agent does not hang.
 */
export class Control {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #release: () => Promise<void>
  #state: AgentState

  private constructor(state: AgentState, release: () => Promise<void>, actions: ControlActions) {
    this.#state = state
    this.#release = release
    this.#server = createServer((socket) => this.#serve(socket, actions))
  }

  /** The caller must hold the data folder: a socket that an earlier agent left there is removed. */
  static async open(
    directory: string,
    platform: Pick<Platform, 'ownControlAddress'>,
    version: string,
    actions: ControlActions,
  ): Promise<Control> {
    const state = { pid: process.pid, version, welcomed: false, connected: false, acknowledged: false }
    const { path, close } = await platform.ownControlAddress(directory)
    const control = new Control(state, close, actions)
    await new Promise<void>((resolve, reject) => {
      control.#server.once('error', reject)
      control.#server.listen(path, resolve)
    })
    control.#server.unref()
    return control
  }

  /** Whether a watchdog is connected. */
  get isWatched(): boolean {
    return this.#sockets.size > 0
  }

  set(changes: Partial<AgentState>): void {
    this.#state = { ...this.#state, ...changes }
    for (const socket of this.#sockets) this.#tell(socket)
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await this.#release()
  }

  #serve(socket: Socket, actions: ControlActions): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.unref()
    onLines(socket, controlLineBytesMax, (line) => {
      if (line === controlWords.news) actions.news()
      if (line === controlWords.end) actions.end()
      this.#tell(socket)
    })
    this.#tell(socket)
  }

  #tell(socket: Socket): void {
    // A watchdog that does not read is disconnected to save memory.
    if (socket.writableLength < controlLineBytesMax) socket.write(`${JSON.stringify(this.#state)}\n`)
  }
}
