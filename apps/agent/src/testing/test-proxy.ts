import { createServer, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'

/** An HTTP proxy that only supports CONNECT, and records its targets. */
export class TestProxy {
  readonly asked: string[] = []
  /** The Proxy-Authorization header that it requires, if any. */
  wants: string | undefined
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor() {
    this.#server = createServer((_request, response) => response.writeHead(405).end())
    this.#server.on('connection', (socket) => this.#keep(socket))
    this.#server.on('connect', (request, client, head) => {
      this.asked.push(request.url ?? '')
      client.on('error', () => client.destroy())
      if (this.wants !== undefined && request.headers['proxy-authorization'] !== this.wants)
        return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      const { hostname, port } = new URL(`http://${request.url}`)
      const server = this.#keep(connect(Number(port), hostname))
      server.on('connect', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n')
        server.write(head)
        server.pipe(client).pipe(server)
      })
      server.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
    })
  }

  static async start(): Promise<TestProxy> {
    const proxy = new TestProxy()
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get url(): string {
    const address = this.#server.address()
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    return socket
  }
}
