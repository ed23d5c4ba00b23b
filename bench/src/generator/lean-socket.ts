import { connect, type Socket } from 'node:net'
import { subprotocol } from '@muster/wire/version.ts'

/*
 * A minimal client WebSocket for a load generator: one read buffer for all sockets of the process, prepared frames, no
 * objects per message. The mask is zero, which the protocol allows. That saves the generator work that real agents do;
 * the server still unmasks.
 */

export interface Target {
  readonly host: string
  readonly port: number
  readonly path: string
}

/** The source address of a socket. The port is always given: finding a free one costs the kernel more than all the rest. */
export interface Source {
  readonly address: string
  readonly port: number
}

/** The callbacks of a socket, which is identified by its index. */
export interface SocketOwner {
  opened(index: number): void
  /** A message is in `bytes[start, end)`, valid until this returns. */
  received(index: number, bytes: Buffer, start: number, end: number): void
  /** The code of the server's close frame, or 1006; `retryAfter` when it refused the upgrade. */
  closed(index: number, code: number, retryAfter: string | undefined): void
}

const readBuffer = Buffer.allocUnsafeSlow(256 * 1024)
const headerEnd = '\r\n\r\n'
const opcodes = { binary: 2, close: 8, ping: 9, pong: 10 } as const
const abnormal = 1006

export class LeanSocket {
  readonly #owner: SocketOwner
  readonly #index: number
  readonly #socket: Socket
  #isOpen = false
  #code = abnormal
  #retryAfter: string | undefined
  /** The incomplete start of a frame, or of the response to the upgrade. */
  #rest: Buffer | undefined

  constructor(target: Target, source: Source, owner: SocketOwner, index: number) {
    this.#owner = owner
    this.#index = index
    this.#socket = connect({
      host: target.host,
      port: target.port,
      localAddress: source.address,
      localPort: source.port,
      noDelay: true,
      onread: { buffer: readBuffer, callback: (length) => this.#read(length) },
    })
    this.#socket.on('error', () => undefined)
    this.#socket.on('close', () => this.#owner.closed(this.#index, this.#code, this.#retryAfter))
    this.#socket.write(upgradeRequest(target))
  }

  /** Writes bytes that are a complete frame; they must not change afterward. */
  write(frame: Uint8Array): void {
    this.#socket.write(frame)
  }

  /** Starts the closing handshake. */
  close(): void {
    this.#socket.end(frameOf(opcodes.close, Buffer.from([0x03, 0xe8])))
  }

  /** Destroys the connection. */
  destroy(): void {
    this.#socket.destroy()
  }

  #read(length: number): boolean {
    let bytes = readBuffer
    let end = length
    if (this.#rest !== undefined) {
      bytes = Buffer.concat([this.#rest, readBuffer.subarray(0, length)])
      end = bytes.length
      this.#rest = undefined
    }
    let at = 0
    if (!this.#isOpen) {
      at = this.#readUpgrade(bytes, end)
      if (at < 0) return true
    }
    this.#readFrames(bytes, at, end)
    return true
  }

  /** The offset of the first frame, -1 when there is nothing to read. */
  #readUpgrade(bytes: Buffer, end: number): number {
    const text = bytes.toString('latin1', 0, end)
    const length = text.indexOf(headerEnd)
    if (length < 0) {
      this.#rest = Buffer.from(bytes.subarray(0, end))
      return -1
    }
    if (!text.startsWith('HTTP/1.1 101')) {
      this.#retryAfter = /\r\nretry-after: *([^\r]*)/i.exec(text.slice(0, length))?.[1] ?? ''
      this.#socket.destroy()
      return -1
    }
    this.#isOpen = true
    this.#owner.opened(this.#index)
    return length + headerEnd.length
  }

  #readFrames(bytes: Buffer, from: number, end: number): void {
    let at = from
    while (at < end) {
      const first = bytes[at] ?? 0
      const short = bytes[at + 1] ?? 0xff
      const headerBytes = short < 126 ? 2 : short === 126 ? 4 : 10
      if (at + headerBytes > end) break
      const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : bytes.readUIntBE(at + 4, 6)
      const start = at + headerBytes
      if (start + length > end) break
      at = start + length
      if ((first & 0x0f) === opcodes.binary) this.#owner.received(this.#index, bytes, start, at)
      else this.#control(first & 0x0f, bytes, start, at)
    }
    if (at < end) this.#rest = Buffer.from(bytes.subarray(at, end))
  }

  #control(opcode: number, bytes: Buffer, start: number, end: number): void {
    if (opcode === opcodes.ping) this.#socket.write(frameOf(opcodes.pong, bytes.subarray(start, end)))
    if (opcode !== opcodes.close) return
    if (end - start >= 2) this.#code = bytes.readUInt16BE(start)
    this.#socket.end(frameOf(opcodes.close, bytes.subarray(start, Math.min(end, start + 2))))
  }
}

const requests = new WeakMap<Target, Buffer>()

function upgradeRequest(target: Target): Buffer {
  const known = requests.get(target)
  if (known !== undefined) return known
  const lines = [
    `GET ${target.path} HTTP/1.1`,
    `Host: ${target.host}:${target.port}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Key: bXVzdGVyLWJlbmNobWFyaw==',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Protocol: ${subprotocol}`,
  ]
  const request = Buffer.from(lines.join('\r\n') + headerEnd)
  requests.set(target, request)
  return request
}

/** A client's frame around a message. */
export function binaryFrame(message: Uint8Array): Buffer {
  return frameOf(opcodes.binary, message)
}

function frameOf(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload
  const headerBytes = (length < 126 ? 2 : length < 65_536 ? 4 : 10) + 4
  const frame = Buffer.allocUnsafe(headerBytes + length)
  frame[0] = 0x80 | opcode
  if (length < 126) frame[1] = 0x80 | length
  else if (length < 65_536) {
    frame[1] = 0x80 | 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 0x80 | 127
    frame.writeUInt16BE(0, 2)
    frame.writeUIntBE(length, 4, 6)
  }
  frame.fill(0, headerBytes - 4, headerBytes)
  frame.set(payload, headerBytes)
  return frame
}
