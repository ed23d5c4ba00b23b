import { decodeDown, encodeDown } from '@muster/wire/down.ts'
import { welcome } from '@muster/wire/messages/welcome.ts'
import { subprotocol } from '@muster/wire/version.ts'
import { WebSocket, WebSocketServer } from 'ws'

/**
 * An ingest under the control of an attacker: agents connect to it, and it sees, drops and injects frames and lies about the
 * server's protocol versions. It relays to the real one, so that agents get a welcome.
 */
export class RogueIngest {
  readonly #server: WebSocketServer
  readonly #behind: string
  readonly #agents: WebSocket[] = []
  /** The server's frames, by connection. */
  readonly sent: Uint8Array[][] = []
  /** The protocol versions in the relayed challenge. */
  protocols: number[] | undefined

  private constructor(server: WebSocketServer, behind: string) {
    this.#server = server
    this.#behind = behind
    server.on('connection', (agent) => this.#accept(agent))
  }

  static async start(behind: string): Promise<RogueIngest> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0, handleProtocols: () => subprotocol })
    await new Promise((resolve) => server.once('listening', resolve))
    return new RogueIngest(server, behind)
  }

  get url(): string {
    const address = this.#server.address()
    return `ws://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/agent`
  }

  get connections(): number {
    return this.#agents.length
  }

  get welcomes(): number {
    return this.sent.flat().filter((frame) => frame[1] === welcome.type).length
  }

  /** Sends a frame to an agent. @param connection the newest by default */
  inject(frame: Uint8Array, connection = this.#agents.length - 1): void {
    this.#agents[connection]?.send(frame)
  }

  /** The orders that were seen on a connection. */
  orders(connection = this.#agents.length - 1) {
    return (this.sent[connection] ?? []).flatMap((frame) => {
      const message = decodeDown(frame)
      return message.name === 'order' ? [message.body] : []
    })
  }

  /** Closes all connections: agents reconnect. */
  drop(): void {
    for (const socket of this.#agents) socket.terminate()
  }

  stop(): void {
    for (const socket of this.#server.clients) socket.terminate()
    this.#server.close()
  }

  #accept(agent: WebSocket): void {
    const server = new WebSocket(this.#behind, subprotocol, { perMessageDeflate: false })
    const waiting: Uint8Array[] = []
    const sent: Uint8Array[] = []
    this.#agents.push(agent)
    this.sent.push(sent)
    server.on('open', () => {
      for (const frame of waiting.splice(0)) server.send(frame)
    })
    server.on('message', (frame: Buffer) => {
      sent.push(Uint8Array.from(frame))
      agent.send(this.#changed(frame))
    })
    agent.on('message', (frame: Buffer) => {
      if (server.readyState === WebSocket.OPEN) server.send(frame)
      else waiting.push(frame)
    })
    for (const [one, other] of [
      [agent, server],
      [server, agent],
    ] as const) {
      one.on('error', () => undefined)
      one.on('close', () => other.close())
    }
  }

  #changed(frame: Uint8Array): Uint8Array {
    if (this.protocols === undefined) return frame
    const message = decodeDown(frame)
    if (message.name !== 'challenge') return frame
    return encodeDown({ ...message, body: { ...message.body, protocols: this.protocols } })
  }
}
