// Requests to devices during an API call: the request goes to the node that holds the device, the reply arrives on a channel of
// this process. Nothing is stored or retried.

import { randomInt, randomUUID } from 'node:crypto'
import { replyChannel } from '@muster/backplane/keys.ts'
import { type Redis, subscriberBeside } from '@muster/backplane/redis.ts'
import { decodeReply, type Replied } from '@muster/backplane/replies.ts'
import { sendToDevices } from '@muster/backplane/routing.ts'
import { AppError, unavailable } from '@muster/kit/errors.ts'
import { WireError } from '@muster/wire/frame.ts'
import type { Reply } from '@muster/wire/messages/reply.ts'
import type { Request } from '@muster/wire/messages/request.ts'
import { decodeUp } from '@muster/wire/up.ts'
import { service } from '../../../services.ts'
import { frameToOrder, type OrderSigner, signerOf } from './order-signer.ts'

const subscribeMs = 3_000
/** Requests that one process waits for at once. */
const waitingMax = 10_000
/** Agents report a timeout themselves; this time is for agents that do not reply at all. */
const replyGraceMs = 2_000
/** A request is valid for its timeout and this time. */
const orderGraceMs = 30_000
const numberMax = 2 ** 47

export interface DeviceRequest {
  readonly deviceId: string
  /** The partner of the device. */
  readonly partnerId: string
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly timeoutMs: number
  readonly data?: Uint8Array | undefined
  /** Aborts when the caller no longer waits. */
  readonly signal: AbortSignal
}

interface Waiting {
  readonly deviceId: string
  settle(outcome: Reply | AppError): void
}

const stopped = () => new AppError('COMMANDS_STOPPED', 'Commands are stopped, or the emergency stop cannot be read')
const outdated = () => new AppError('AGENT_TOO_OLD', 'The agent of this device cannot check signed orders: update it')
const offline = () => new AppError('DEVICE_OFFLINE', 'The device is not connected')

/** The open requests of this process. Connects at the first request; ends with the connection it was made from. */
export class DeviceRequests {
  readonly #origin: Redis
  readonly #signer: OrderSigner
  readonly #processId = randomUUID()
  readonly #waiting = new Map<number, Waiting>()
  #listening: Promise<unknown> | null = null

  /** @param origin the process's connection for commands, whose address the second one takes */
  constructor(origin: Redis, signer: OrderSigner) {
    this.#origin = origin
    this.#signer = signer
  }

  /**
   * Sends a request to a connected device and waits for the reply.
   * @throws DEVICE_OFFLINE, DEVICE_TIMEOUT, or UNAVAILABLE when Redis cannot be reached
   */
  async ask(request: DeviceRequest): Promise<Reply> {
    if (this.#waiting.size >= waitingMax) throw unavailable('Too many requests to devices at the moment', 1)
    await this.#listen()
    const number = randomInt(1, numberMax)
    const replied = this.#expect(number, request)
    try {
      await this.#send(number, request)
    } catch (error) {
      this.#waiting.get(number)?.settle(error instanceof AppError ? error : unreachable(error))
    }
    const outcome = await replied
    if (outcome instanceof AppError) throw outcome
    return outcome
  }

  async #send(number: number, { deviceId, partnerId, type, payload, timeoutMs, data }: DeviceRequest): Promise<void> {
    const frame = frameOf(number, { type, payload, timeoutMs, ...(data === undefined ? {} : { data }) })
    const asked = { deviceId, frame, number, replyTo: this.#processId, lifeMs: timeoutMs + orderGraceMs }
    const order = this.#signer.order({ kind: 'request', ...asked })
    const { offline: absent } = await sendToDevices(this.#origin, [order], partnerId)
    if (absent.length > 0) throw offline()
  }

  #expect(number: number, { deviceId, timeoutMs, signal }: DeviceRequest): Promise<Reply | AppError> {
    return new Promise((resolve) => {
      const settle = (outcome: Reply | AppError) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
        this.#waiting.delete(number)
        resolve(outcome)
      }
      const leave = () => settle(new AppError('DEVICE_TIMEOUT', 'The caller no longer waits for the answer'))
      const timer = setTimeout(
        () => settle(new AppError('DEVICE_TIMEOUT', 'The device did not answer in time')),
        timeoutMs + replyGraceMs,
      )
      this.#waiting.set(number, { deviceId, settle })
      signal.addEventListener('abort', leave)
      if (signal.aborted) leave()
    })
  }

  async #listen(): Promise<void> {
    this.#listening ??= this.#connect()
    try {
      await this.#listening
    } catch (error) {
      this.#listening = null
      throw unreachable(error)
    }
  }

  async #connect(): Promise<void> {
    const connection = subscriberBeside(this.#origin, 'replies', subscribeMs)
    connection.on('messageBuffer', (_channel: Buffer, message: Buffer) => this.#hand(message))
    try {
      await connection.subscribe(replyChannel(this.#processId))
    } catch (error) {
      connection.disconnect()
      throw error
    }
  }

  #hand(message: Buffer): void {
    const replied = decodeReply(message)
    const waiting = replied === undefined ? undefined : this.#waiting.get(replied.number)
    if (replied === undefined || waiting?.deviceId !== replied.deviceId) return
    waiting.settle(outcomeOf(replied.reply))
  }
}

const unreachable = (cause: unknown) => unavailable('Devices cannot be asked at the moment', 1, cause)

function frameOf(number: number, body: Request): Uint8Array {
  try {
    return frameToOrder({ name: 'request', sequence: number, body })
  } catch (error) {
    if (error instanceof WireError) throw new AppError('PAYLOAD_TOO_LARGE', 'The payload does not fit into one message')
    throw error
  }
}

function outcomeOf(reply: Replied['reply']): Reply | AppError {
  if (typeof reply !== 'string') return replyIn(reply)
  if (reply === 'outdated') return outdated()
  return reply === 'withheld' ? stopped() : offline()
}

function replyIn(frame: Uint8Array): Reply | AppError {
  try {
    const message = decodeUp(frame)
    if (message.name === 'reply') return message.body
  } catch (error) {
    if (!(error instanceof WireError)) throw error
  }
  return new AppError('DEVICE_REFUSED', 'The device gave an answer that cannot be read')
}

export const deviceRequestsOf = service((core) => new DeviceRequests(core.redis, signerOf({ core })))
