import { randomInt, sign } from 'node:crypto'
import { opened } from '@muster/testkit/down-messages.ts'
import { type DownMessage, type DownName, decodeDown } from '@muster/wire/down.ts'
import { encodeHeartbeat } from '@muster/wire/heartbeat-frame.ts'
import { proofBytes } from '@muster/wire/identity.ts'
import type { Hello } from '@muster/wire/messages/hello.ts'
import type { Resume } from '@muster/wire/messages/resume.ts'
import type { Ticket } from '@muster/wire/messages/ticket.ts'
import { resumptionProof } from '@muster/wire/resumption.ts'
import { encodeUp } from '@muster/wire/up.ts'
import { protocolVersion, subprotocol } from '@muster/wire/version.ts'
import type { Device } from './fleet.ts'

export type Named<Name extends DownName> = Extract<DownMessage, { name: Name }>

/** A test client: sends any message, valid or not, and waits for answers. */
export class Client {
  readonly closed: Promise<{ code: number; reason: string }>
  readonly received: DownMessage[] = []
  readonly #socket: WebSocket
  readonly #isPlain: boolean
  #waiting: (() => void)[] = []

  /** @param isPlain shows orders themselves instead of their inner messages */
  constructor(port: number, isPlain = false) {
    this.#isPlain = isPlain
    this.#socket = new WebSocket(`ws://127.0.0.1:${port}/agent`, subprotocol)
    this.#socket.binaryType = 'arraybuffer'
    this.#socket.addEventListener('message', ({ data }) => {
      if (data instanceof ArrayBuffer)
        this.received.push(this.#isPlain ? decodeDown(new Uint8Array(data)) : opened(new Uint8Array(data)))
      this.#wake()
    })
    this.closed = new Promise((resolve) => {
      this.#socket.addEventListener('close', ({ code, reason }) => {
        resolve({ code, reason })
        this.#wake()
      })
    })
  }

  send(frame: Uint8Array | string): void {
    this.#socket.send(typeof frame === 'string' ? frame : new Uint8Array(frame))
  }

  close(): void {
    this.#socket.close()
  }

  heartbeat(sequence: number): void {
    this.send(encodeHeartbeat(sequence, [12.5, 1e9, 2e9, 3e9, 4e9, 0.5, 1000, 5, 6, 70]))
  }

  /** Removes and returns the first message of that name, received or still to come. */
  async next<Name extends DownName>(name: Name): Promise<Named<Name>> {
    for (;;) {
      const at = this.received.findIndex((message) => message.name === name)
      const [message] = at < 0 ? [] : this.received.splice(at, 1)
      if (message !== undefined && isNamed(message, name)) return message
      if (this.#socket.readyState >= WebSocket.CLOSING) throw new Error(`Closed while waiting for ${name}`)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  /** Answers the challenge; parts of the hello may be given other values. */
  async sayHello(device: Device, changes: Partial<Hello> = {}): Promise<Hello> {
    const { body } = await this.next('challenge')
    const hello = helloOf(device, body.nonce, changes)
    this.send(encodeUp({ name: 'hello', sequence: 0, body: hello }))
    return hello
  }

  /** Answers the challenge with a ticket; fields can be changed before or after the proof. */
  async sayResume(given: Ticket, before: Partial<Resume> = {}, after: Partial<Resume> = {}): Promise<Resume> {
    const { body } = await this.next('challenge')
    const resume = { ...resumeOf(given, body.nonce, before), ...after }
    this.send(encodeUp({ name: 'resume', sequence: 0, body: resume }))
    return resume
  }

  /** A client that was welcomed. */
  static async welcomed(port: number, device: Device, changes: Partial<Hello> = {}): Promise<Client> {
    const client = new Client(port)
    await client.sayHello(device, changes)
    await client.next('welcome')
    return client
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

export function helloOf(device: Device, nonce: Uint8Array, changes: Partial<Hello> = {}): Hello {
  return {
    protocol: protocolVersion,
    certificate: device.certificate,
    signature: sign(null, proofBytes(nonce, device.certificate), device.privateKey),
    bootId: randomInt(1, 2 ** 47),
    agentVersion: '1.0.0',
    role: 'agent',
    ...changes,
  }
}

export function resumeOf({ ticket, secret }: Ticket, nonce: Uint8Array, changes: Partial<Resume> = {}): Resume {
  const said = {
    protocol: protocolVersion,
    ticket,
    bootId: randomInt(1, 2 ** 47),
    agentVersion: '1.0.0',
    role: 'agent' as const,
    ...changes,
  }
  return { ...said, proof: resumptionProof(secret, nonce, said) }
}

function isNamed<Name extends DownName>(message: DownMessage, name: Name): message is Named<Name> {
  return message.name === name
}
