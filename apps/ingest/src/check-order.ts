import { deviceOfField, roleOfField } from '@muster/backplane/presence.ts'
import type { DeliveryOrder } from '@muster/backplane/routing.ts'
import { emptyHeader, readHeader, WireError } from '@muster/wire/frame.ts'
import { certificate } from '@muster/wire/messages/certificate.ts'
import { command } from '@muster/wire/messages/command.ts'
import { order } from '@muster/wire/messages/order.ts'
import { request } from '@muster/wire/messages/request.ts'
import { settings } from '@muster/wire/messages/settings.ts'
import { orderedTypes } from '@muster/wire/orders.ts'

/** An order of another process that may go to a socket. */
export interface CheckedOrder {
  /** The type of the inner frame. */
  readonly type: number
  /** The frame without its signature, for agents that predate signatures. */
  readonly plain: Uint8Array
}

export type FrameOrder = Exclude<DeliveryOrder, { kind: 'close' }>

const outer = emptyHeader()
const inner = emptyHeader()

/**
 * Validates an order that came through Redis from any process: it must be a signed order for this device and of the kind
 * that the process claims, or one of the few frames that have no power over a machine. Undefined for anything else. The
 * agent verifies the signature.
 */
export function checkOrder(routed: FrameOrder): CheckedOrder | undefined {
  const { bytes, deviceId } = routed
  readHeader(bytes, outer)
  if (outer.fault !== null) return undefined
  if (outer.type === settings.type) return isPlainFrame(routed) ? { type: settings.type, plain: bytes } : undefined
  if (outer.type !== order.type) return undefined
  const said = orderIn(bytes)
  if (said === undefined || said.device !== deviceOfField(deviceId)) return undefined
  readHeader(said.frame, inner)
  if (inner.fault !== null || !orderedTypes.has(inner.type)) return undefined
  // A watchdog accepts only its certificate.
  if (roleOfField(deviceId) === 'watchdog' && inner.type !== certificate.type) return undefined
  return matchesKind(routed) ? { type: inner.type, plain: said.frame } : undefined
}

const isPlainFrame = (routed: FrameOrder): boolean => routed.kind === 'frame' && routed.commandId === undefined

/** The kind decides whether an emergency stop applies and whether a reply is expected, so it must match the frame. */
function matchesKind(routed: FrameOrder): boolean {
  if (inner.type === request.type) return routed.kind === 'request' && routed.number === inner.sequence
  if (inner.type === command.type) return routed.kind === 'frame' && routed.commandId !== undefined
  return isPlainFrame(routed)
}

function orderIn(bytes: Uint8Array) {
  try {
    return order.read(bytes, outer).body
  } catch (error) {
    if (error instanceof WireError) return undefined
    throw error
  }
}

/** The type of a frame, or of the inner frame of an order. */
export function typeIn(frame: Uint8Array): number {
  readHeader(frame, outer)
  if (outer.fault !== null || outer.type !== order.type) return outer.type
  const said = orderIn(frame)
  return said === undefined ? order.type : readHeader(said.frame, inner).type
}
