import { open, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { z } from 'zod'
import { controlLineBytesMax } from './limits.ts'
import { onLines } from './line-reader.ts'

/** What an agent says about itself to the watchdog on its machine. */
export const AgentState = z.object({
  pid: z.int(),
  version: z.string(),
  /** Whether it has been welcomed by the server since it started, and is connected now. */
  welcomed: z.boolean(),
  connected: z.boolean(),
  /** Whether the server has acknowledged a heartbeat of this process. */
  acknowledged: z.boolean(),
})
export type AgentState = z.infer<typeof AgentState>

export const controlFile = 'agent.sock'
/** What a watchdog may say: nothing but a question, or that the journal of updates has news. */
export const controlWords = { ask: 'state', news: 'news' } as const
/** The kernel takes no longer paths for sockets. */
const socketPathMax = 100

/**
 * The door for the watchdog, a socket in the data folder that only its owner can reach. One line of state at once, after
 * each change, and after each line that comes; that an answer comes at all shows that the agent does not hang.
 */
export class Control {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #release: () => Promise<void>
  #state: AgentState

  private constructor(state: AgentState, release: () => Promise<void>, news: () => void) {
    this.#state = state
    this.#release = release
    this.#server = createServer((socket) => this.#serve(socket, news))
  }

  /** The data folder has to be this agent's: what an earlier one left of its socket is removed. */
  static async open(directory: string, state: AgentState, news: () => void): Promise<Control> {
    const { path, close } = await socketPath(directory, controlFile)
    await rm(join(directory, controlFile), { force: true })
    const control = new Control(state, close, news)
    await new Promise<void>((resolve, reject) => {
      control.#server.once('error', reject)
      control.#server.listen(path, resolve)
    })
    control.#server.unref()
    return control
  }

  /** Whether a watchdog is there. */
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

  #serve(socket: Socket, news: () => void): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.unref()
    onLines(socket, controlLineBytesMax, (line) => {
      if (line === controlWords.news) news()
      this.#tell(socket)
    })
    this.#tell(socket)
  }

  #tell(socket: Socket): void {
    // A watchdog that does not read is not worth memory.
    if (socket.writableLength < controlLineBytesMax) socket.write(`${JSON.stringify(this.#state)}\n`)
  }
}

/** A path by which a socket in a folder can be reached, however long the folder's own path is. */
export async function socketPath(
  directory: string,
  name: string,
): Promise<{ path: string; close: () => Promise<void> }> {
  const path = join(directory, name)
  if (path.length <= socketPathMax) return { path, close: async () => undefined }
  const folder = await open(directory, 'r')
  return { path: `/proc/self/fd/${folder.fd}/${name}`, close: () => folder.close() }
}
