import { createPublicKey, generateKeyPairSync, randomBytes, randomUUID, sign, verify } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import { type DownMessage, encodeDown } from '@muster/wire/down.ts'
import { proofBytes } from '@muster/wire/identity.ts'
import { frameBytesMax } from '@muster/wire/limits.ts'
import type { Hello, Role } from '@muster/wire/messages/hello.ts'
import type { Order } from '@muster/wire/messages/order.ts'
import type { Resume } from '@muster/wire/messages/resume.ts'
import type { OrderHead } from '@muster/wire/orders.ts'
import { resumptionProof } from '@muster/wire/resumption.ts'
import { decodeUp, type UpMessage } from '@muster/wire/up.ts'
import { protocolVersion, subprotocol, supportedProtocols } from '@muster/wire/version.ts'
import { z } from 'zod'
import { type WebSocket, WebSocketServer } from '../websocket.ts'
import { TestOrders } from './test-orders.ts'

/** The faults of the fake server; a test can change them at any time. */
export interface Behavior {
  /** Which frames are acknowledged. */
  acknowledges: (message: UpMessage) => boolean
  /** Refuses the upgrade to a socket. */
  refusesUpgrade: { status: number; retryAfter?: string } | undefined
  /** Answers enrollments with this instead. */
  refusesEnrollment: { status: number; body: object; retryAfter?: string } | undefined
  /** Closes instead of welcoming. */
  closesAtHello: { code: number; hintMs?: number } | undefined
  heartbeatMs: number
  /** Whether it supports tickets, and which of them it accepts. */
  tickets: { takes: boolean } | undefined
  /** Whether it sends the keys of orders and grants to machines that enroll. */
  namesOrderKeys: boolean
  /** Whether it answers requests for order keys, and with which time. */
  answersOrderKeys: boolean
  administrationTime: () => number
  /** The protocol versions that it offers. */
  protocols: number[]
  /** Answers every GET. */
  answersGet: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
}

export interface Received {
  connection: number
  message: UpMessage
}

const EnrollmentBody = z.object({
  enrollmentKey: z.string(),
  publicKey: z.string(),
  hostname: z.string(),
  osType: z.string(),
  architecture: z.string(),
  agentVersion: z.string(),
  machineId: z.string().optional(),
})

/** A key and its certificate, as PEM. */
export interface Credentials {
  readonly key: string
  readonly cert: string
}

/** One address for enrollment and agents that speaks the real protocol and records what it receives. */
export class FakeServer {
  readonly behavior: Behavior = {
    acknowledges: () => true,
    refusesUpgrade: undefined,
    refusesEnrollment: undefined,
    closesAtHello: undefined,
    heartbeatMs: 60_000,
    namesOrderKeys: true,
    answersOrderKeys: true,
    administrationTime: Date.now,
    protocols: [...supportedProtocols],
    tickets: undefined,
    answersGet: undefined,
  }
  readonly received: Received[] = []
  readonly enrollments: z.infer<typeof EnrollmentBody>[] = []
  readonly hellos: Hello[] = []
  readonly resumes: Resume[] = []
  /** Of watchdogs, which have their own connections. */
  readonly watchdogHellos: Hello[] = []
  /** Of all connections that have ended. */
  readonly closeCodes: number[] = []
  /** Times of upgrade requests, refused ones too. */
  readonly upgrades: number[] = []
  readonly #http: Server | TlsServer
  readonly #origin: { readonly web: string; readonly socket: string }
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: frameBytesMax })
  readonly #signing = generateKeyPairSync('ed25519')
  readonly #devices = new Map<string, string>()
  readonly #watchdogKeys = new Map<string, string>()
  /** Ticket, as hexadecimal digits → its secret and its device. */
  readonly #tickets = new Map<string, { secret: Buffer; deviceId: string }>()
  #current: WebSocket | undefined
  /** Signs its orders. */
  readonly orders = new TestOrders()
  /** Requests of agents for order keys. */
  readonly orderKeysAsked: string[] = []
  #watchers: (() => void)[] = []

  private constructor(tls: Credentials | undefined) {
    const answer = (request: IncomingMessage, response: ServerResponse) => void this.#enroll(request, response)
    this.#http = tls === undefined ? createServer(answer) : createTlsServer(tls, answer)
    this.#origin =
      tls === undefined
        ? { web: 'http://127.0.0.1', socket: 'ws://127.0.0.1' }
        : { web: 'https://localhost', socket: 'wss://localhost' }
    this.#http.on('upgrade', (request, socket, head) => {
      this.upgrades.push(performance.now())
      const refusal = this.behavior.refusesUpgrade
      this.#changed()
      if (refusal === undefined) {
        this.#sockets.handleUpgrade(request, socket, head, (accepted) => this.#accept(accepted))
        return
      }
      const retryAfter = refusal.retryAfter === undefined ? '' : `Retry-After: ${refusal.retryAfter}\r\n`
      socket.end(`HTTP/1.1 ${refusal.status} Refused\r\n${retryAfter}Content-Length: 0\r\nConnection: close\r\n\r\n`)
    })
  }

  /** @param tls makes it reachable as `localhost` over TLS */
  static async start(port = 0, tls?: Credentials): Promise<FakeServer> {
    const server = new FakeServer(tls)
    await new Promise<void>((resolve) => server.#http.listen(port, '127.0.0.1', resolve))
    return server
  }

  get port(): number {
    const address = this.#http.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  get url(): string {
    return `${this.#origin.web}:${this.port}`
  }

  get isConnected(): boolean {
    return this.#current !== undefined
  }

  /** Sends to the connected agent. */
  send(message: DownMessage): void {
    this.#current?.send(encodeDown(message))
  }

  /** Sends a message inside an order, as the server does with messages that have power over a machine. */
  order(message: DownMessage, changes: Partial<OrderHead> = {}): Order {
    const order = this.orders.make(this.#deviceId(), message, changes)
    this.send({ name: 'order', sequence: 0, body: order })
    return order
  }

  #deviceId(): string {
    return [...this.#devices.keys()].at(-1) ?? ''
  }

  command(
    type: string,
    payload: Record<string, unknown>,
    more: { timeoutMs?: number; expiresAt?: number } = {},
  ): string {
    const id = randomUUID()
    this.sendCommand(id, type, payload, more)
    return id
  }

  sendCommand(
    id: string,
    type: string,
    payload: Record<string, unknown>,
    { timeoutMs = 60_000, expiresAt = Date.now() + 3_600_000 } = {},
  ): void {
    this.order({ name: 'command', sequence: 0, body: { id, type, payload, timeoutMs, expiresAt } })
  }

  /** Ends the current connection as a server would: with a close code, optionally after a retry message. */
  close(code: number, hintMs?: number): void {
    if (hintMs !== undefined) this.send({ name: 'retry', sequence: 0, body: { afterMs: hintMs, reason: 'test' } })
    this.#current?.close(code)
  }

  /** Ends the current connection without a close frame. */
  drop(): void {
    this.#current?.terminate()
  }

  /** The first message of this name, received already or later. */
  next<N extends UpMessage['name']>(name: N): Promise<Extract<UpMessage, { name: N }>> {
    const isWanted = (message: UpMessage): message is Extract<UpMessage, { name: N }> => message.name === name
    return this.until(() => this.received.map(({ message }) => message).find(isWanted))
  }

  /** The result of a command. */
  result(commandId: string) {
    return this.until(() => {
      for (const { message } of this.received)
        if (message.name === 'result' && message.body.commandId === commandId) return message.body
      return undefined
    })
  }

  /** Checks after every event, until there is a value. */
  async until<T>(look: () => T | undefined | false): Promise<T> {
    for (;;) {
      const found = look()
      if (found !== undefined && found !== false) return found
      await new Promise<void>((resolve) => this.#watchers.push(resolve))
    }
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate()
    this.#http.closeAllConnections()
    await new Promise<void>((resolve) => this.#http.close(() => resolve()))
  }

  #changed(): void {
    for (const look of this.#watchers.splice(0)) look()
  }

  async #enroll(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET' && this.behavior.answersGet !== undefined) {
      this.behavior.answersGet(request, response)
      return
    }
    let text = ''
    for await (const piece of request) text += piece
    const answer = (status: number, body: object, retryAfter?: string) => {
      if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter)
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      this.#changed()
    }
    if (request.url === '/api/v1/agents/order-keys') {
      this.orderKeysAsked.push(text)
      const serverTime = this.behavior.administrationTime()
      const { trusted, statements, grants } = this.orders
      const grantKeys = { ...grants.trusted, statements: grants.statements }
      const told = { ...trusted, statements, serverTime, grantKeys }
      return this.behavior.answersOrderKeys ? answer(200, told) : answer(503, {})
    }
    const body = EnrollmentBody.safeParse(JSON.parse(text))
    if (request.url !== '/api/v1/agents/enroll' || !body.success)
      return answer(400, { code: 'VALIDATION_ERROR', message: 'Not an enrollment' })
    this.enrollments.push(body.data)
    const refusal = this.behavior.refusesEnrollment
    if (refusal !== undefined) return answer(refusal.status, refusal.body, refusal.retryAfter)
    const deviceId = randomUUID()
    this.#devices.set(deviceId, body.data.publicKey)
    const certificate = this.certificateFor(deviceId, body.data.publicKey)
    const ingestUrl = `${this.#origin.socket}:${this.port}/agent`
    const { trusted, grants } = this.orders
    const keys = this.behavior.namesOrderKeys ? { orderKeys: trusted, grantKeys: grants.trusted } : {}
    answer(201, { deviceId, certificate, ingestUrl, orgId: randomUUID(), siteId: randomUUID(), ...keys })
  }

  /** A certificate in the format of the real server. */
  certificateFor(deviceId: string, publicKey: string): string {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      ...{ iss: 'muster', aud: 'muster-ingest', sub: deviceId, org: randomUUID(), partner: randomUUID() },
      ...{
        gen: 1,
        role: 'agent',
        cnf: { jwk: { kty: 'OKP', crv: 'Ed25519', x: publicKey } },
        iat: now,
        exp: now + 3600,
      },
    }
    const content = `${encode({ alg: 'EdDSA', kid: 'test' })}.${encode(claims)}`
    return `${content}.${sign(null, Buffer.from(content), this.#signing.privateKey).toString('base64url')}`
  }

  #accept(socket: WebSocket): void {
    let nonce = randomBytes(32)
    const connection = this.upgrades.length
    const send = (message: DownMessage) => socket.send(encodeDown(message))
    if (socket.protocol !== subprotocol) {
      socket.close(4003)
      return
    }
    const challenge = () => {
      const tickets = this.behavior.tickets === undefined ? {} : { tickets: true }
      const body = { nonce, protocols: this.behavior.protocols, serverTime: Date.now(), ...tickets }
      send({ name: 'challenge', sequence: 0, body })
    }
    challenge()
    socket.on('error', () => undefined)
    socket.on('close', (code) => {
      this.closeCodes.push(code)
      if (this.#current === socket) this.#current = undefined
      this.#changed()
    })
    socket.on('message', (data) => {
      if (!(data instanceof Uint8Array)) return socket.close(4000)
      const message = decodeUp(data)
      if (message.name === 'hello') this.#welcome(socket, nonce, message.body)
      else if (message.name === 'resume') {
        if (this.#resume(socket, nonce, message.body)) return this.#changed()
        nonce = randomBytes(32)
        challenge()
      } else {
        this.received.push({ connection, message })
        if (message.name === 'watchdogKey') this.#certifyWatchdog(message.body.publicKey)
        if (this.behavior.acknowledges(message)) send({ name: 'ack', sequence: message.sequence, body: undefined })
      }
      this.#changed()
    })
  }

  #certifyWatchdog(publicKey: string): void {
    const [deviceId = ''] = this.#devices.keys()
    const certificate = this.certificateFor(deviceId, publicKey)
    this.#watchdogKeys.set(certificate, publicKey)
    this.order({ name: 'certificate', sequence: 0, body: { certificate, role: 'watchdog' } })
  }

  #welcome(socket: WebSocket, nonce: Uint8Array, hello: Hello): void {
    const isWatchdog = hello.role === 'watchdog'
    const hellos = isWatchdog ? this.watchdogHellos : this.hellos
    hellos.push(hello)
    const refusal = this.behavior.closesAtHello
    if (refusal !== undefined) {
      if (refusal.hintMs !== undefined)
        socket.send(encodeDown({ name: 'retry', sequence: 0, body: { afterMs: refusal.hintMs, reason: 'test' } }))
      socket.close(refusal.code)
      return
    }
    const deviceId = this.#proven(nonce, hello)
    if (typeof deviceId === 'number') {
      socket.close(deviceId)
      return
    }
    this.#greet(socket, deviceId, hello.role, hello.tickets === true)
  }

  #resume(socket: WebSocket, nonce: Uint8Array, resume: Resume): boolean {
    this.resumes.push(resume)
    const kept = this.#tickets.get(Buffer.from(resume.ticket).toString('hex'))
    if (kept === undefined || this.behavior.tickets?.takes !== true) return false
    if (!resumptionProof(kept.secret, nonce, resume).equals(resume.proof)) return false
    this.#greet(socket, kept.deviceId, resume.role, true)
    return true
  }

  #greet(socket: WebSocket, deviceId: string, role: Role, keepsTickets: boolean): void {
    if (role === 'agent') this.#current = socket
    const { heartbeatMs, tickets } = this.behavior
    const body = { protocol: protocolVersion, deviceId, heartbeatMs, serverTime: Date.now(), frameBytesMax }
    socket.send(encodeDown({ name: 'welcome', sequence: 0, body }))
    if (tickets === undefined || !keepsTickets) return
    const [ticket, secret] = [randomBytes(40), randomBytes(32)]
    this.#tickets.set(ticket.toString('hex'), { secret, deviceId })
    socket.send(encodeDown({ name: 'ticket', sequence: 0, body: { ticket, secret } }))
  }

  /** The device that the hello is from, or the close code of its fault. */
  #proven(nonce: Uint8Array, hello: Hello): string | number {
    const [, claims = ''] = hello.certificate.split('.')
    const { sub } = z.object({ sub: z.string() }).parse(JSON.parse(Buffer.from(claims, 'base64url').toString()))
    const x = this.#watchdogKeys.get(hello.certificate) ?? this.#devices.get(sub)
    if (x === undefined) return 4010
    const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })
    return verify(null, proofBytes(nonce, hello.certificate), key, hello.signature) ? sub : 4011
  }
}
