import { deviceOfField, roleOfField } from '@muster/backplane/presence.ts'
import type { Order as Routed } from '@muster/backplane/routing.ts'
import { emptyHeader, readHeader, WireError } from '@muster/wire/frame.ts'
import { certificate } from '@muster/wire/messages/certificate.ts'
import { command } from '@muster/wire/messages/command.ts'
import { order } from '@muster/wire/messages/order.ts'
import { request } from '@muster/wire/messages/request.ts'
import { settings } from '@muster/wire/messages/settings.ts'
import { orderedTypes } from '@muster/wire/orders.ts'

/** What goes to a socket by order of another process. */
export interface Judged {
  /** The type of what the device is to do. */
  readonly type: number
  /** The frame without its signature, for agents from before there were signatures. */
  readonly plain: Uint8Array
}

export type FrameOrder = Exclude<Routed, { kind: 'close' }>

const outer = emptyHeader()
const inner = emptyHeader()

/**
 * Looks at an order that came through Redis, whoever wrote it: a signed order for this very device and of the kind that
 * the process says it is, or one of the few frames that have no power over a machine. Undefined for anything else. The
 * signature is the agent's to check.
 */
export function judgeOrder(routed: FrameOrder): Judged | undefined {
  const { bytes, deviceId } = routed
  readHeader(bytes, outer)
  if (outer.fault !== null) return undefined
  if (outer.type === settings.type) return isPlainFrame(routed) ? { type: settings.type, plain: bytes } : undefined
  if (outer.type !== order.type) return undefined
  const said = orderIn(bytes)
  if (said === undefined || said.device !== deviceOfField(deviceId)) return undefined
  readHeader(said.frame, inner)
  if (inner.fault !== null || !orderedTypes.has(inner.type)) return undefined
  // A watchdog takes nothing but its certificate.
  if (roleOfField(deviceId) === 'watchdog' && inner.type !== certificate.type) return undefined
  return isAsSaid(routed) ? { type: inner.type, plain: said.frame } : undefined
}

const isPlainFrame = (routed: FrameOrder): boolean => routed.kind === 'frame' && routed.commandId === undefined

/** The kind decides what an emergency stop holds back and who waits for an answer: it has to fit the frame. */
function isAsSaid(routed: FrameOrder): boolean {
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

/** The type of a frame, or of what is inside when it is an order. */
export function typeIn(frame: Uint8Array): number {
  readHeader(frame, outer)
  if (outer.fault !== null || outer.type !== order.type) return outer.type
  const said = orderIn(frame)
  return said === undefined ? order.type : readHeader(said.frame, inner).type
}
