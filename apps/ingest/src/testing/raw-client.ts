import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { opened } from '@muster/testkit/down-messages.ts'
import type { DownMessage } from '@muster/wire/down.ts'
import { encodeUp } from '@muster/wire/up.ts'
import { helloOf } from './client.ts'
import type { Device } from './fleet.ts'

/** A live connection over a plain TCP socket, which unlike a WebSocket can stop reading. */
export class RawClient {
  readonly #socket: Socket
  #unread = Buffer.alloc(0)

  private constructor(socket: Socket) {
    this.#socket = socket
    // Several tests wait for a reset connection.
    socket.on('error', () => undefined)
  }

  static async welcomed(port: number, device: Device): Promise<RawClient> {
    const client = new RawClient(connect(port, '127.0.0.1'))
    const head = [
      'GET /agent HTTP/1.1',
      'Host: 127.0.0.1',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${'A'.repeat(22)}==`,
      'Sec-WebSocket-Protocol: muster.v1',
    ]
    client.#socket.write(`${head.join('\r\n')}\r\n\r\n`)
    while (!client.#unread.includes('\r\n\r\n')) await client.#more()
    client.#unread = client.#unread.subarray(client.#unread.indexOf('\r\n\r\n') + 4)
    const challenge = await client.next()
    if (challenge.name !== 'challenge') throw new Error('The first message must be a challenge')
    client.#socket.write(masked(encodeUp({ name: 'hello', sequence: 0, body: helloOf(device, challenge.body.nonce) })))
    const welcome = await client.next()
    if (welcome.name !== 'welcome') throw new Error(`Not welcomed but ${welcome.name}`)
    client.pause()
    return client
  }

  /** Stops reading until `next` is called. */
  pause(): void {
    this.#socket.pause()
  }

  /** The next message. Waits as long as needed. */
  async next(): Promise<DownMessage> {
    for (;;) {
      const { from, to } = lengthOf(this.#unread)
      if (to <= this.#unread.length) {
        const message = opened(this.#unread.subarray(from, to))
        this.#unread = this.#unread.subarray(to)
        return message
      }
      await this.#more()
    }
  }

  destroy(): void {
    this.#socket.destroy()
  }

  async #more(): Promise<void> {
    this.#socket.resume()
    const [chunk]: unknown[] = await once(this.#socket, 'data')
    this.#socket.pause()
    if (chunk instanceof Uint8Array) this.#unread = Buffer.concat([this.#unread, chunk])
  }
}

/** The range of a server's first message; beyond the buffer when its header is incomplete. */
function lengthOf(bytes: Buffer): { from: number; to: number } {
  const short = bytes[1] ?? 0
  const from = short < 126 ? 2 : short === 126 ? 4 : 10
  if (bytes.length < from) return { from, to: Number.POSITIVE_INFINITY }
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  return { from, to: from + length }
}

/** A client's WebSocket message, masked with zeros. */
function masked(message: Uint8Array): Buffer {
  const length =
    message.length < 126 ? [0x80 | message.length] : [0x80 | 126, message.length >> 8, message.length & 0xff]
  return Buffer.concat([Buffer.from([0x82, ...length, 0, 0, 0, 0]), message])
}
