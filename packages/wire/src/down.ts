import { WireError } from './frame.ts'
import { encodeMessage, headerOf } from './message.ts'
import { ack } from './messages/ack.ts'
import { assignment } from './messages/assignment.ts'
import { cancel } from './messages/cancel.ts'
import { certificate } from './messages/certificate.ts'
import { challenge } from './messages/challenge.ts'
import { command } from './messages/command.ts'
import { error } from './messages/error.ts'
import { order } from './messages/order.ts'
import { orderKeys } from './messages/order-keys.ts'
import { request } from './messages/request.ts'
import { retry } from './messages/retry.ts'
import { settings } from './messages/settings.ts'
import { ticket } from './messages/ticket.ts'
import { update } from './messages/update.ts'
import { welcome } from './messages/welcome.ts'

/** Everything the server may send. */
export const downMessages = {
  challenge,
  welcome,
  ack,
  command,
  cancel,
  update,
  retry,
  error,
  certificate,
  settings,
  request,
  ticket,
  order,
  orderKeys,
  assignment,
} as const

type Kinds = typeof downMessages
export type DownName = keyof Kinds
export type DownMessage = ReturnType<Kinds[DownName]['read']>

const byType: ReadonlyMap<number, Kinds[DownName]> = new Map(
  Object.values(downMessages).map((kind) => [kind.type, kind]),
)

/** Decodes a frame from the server. Throws only WireError. */
export function decodeDown(bytes: Uint8Array): DownMessage {
  const header = headerOf(bytes)
  const kind = byType.get(header.type)
  if (kind === undefined) throw new WireError('unknownType', `A server does not send frames of type ${header.type}`)
  return kind.read(bytes, header)
}

/** Encodes a message from the server. */
export function encodeDown(message: DownMessage): Uint8Array {
  return encodeMessage(downMessages[message.name], message.sequence, message.body)
}
