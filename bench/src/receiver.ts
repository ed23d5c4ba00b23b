import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Socket } from 'node:net'

export interface Received {
  readonly path: string
  readonly body: string
  /** In ms since the epoch. */
  readonly atMs: number
}

/** An endpoint for webhooks and channels, which answers at once, or never. */
export class Receiver {
  readonly received: Received[] = []
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  constructor({ answers = true }: { answers?: boolean } = {}) {
    this.#server = createServer((request, response) => {
      void bodyOf(request).then((body) => {
        this.received.push({ path: request.url ?? '', body, atMs: Date.now() })
        if (answers) response.writeHead(204).end()
      })
    })
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket))
    })
  }

  /** @returns the address at which it listens */
  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this.url
  }

  get url(): string {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the receiver has no port')
    return `http://127.0.0.1:${address.port}`
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
