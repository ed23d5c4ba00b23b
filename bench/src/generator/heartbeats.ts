import { writeHeader } from '@muster/wire/frame.ts'
import { encodeHeartbeat } from '@muster/wire/heartbeat-frame.ts'
import { type Heartbeat, heartbeat } from '@muster/wire/messages/heartbeat.ts'

/** The figures of an agent repeat after this number of heartbeats. */
export const heartbeatVariants = 64
const headerBytesMax = 11
const clientHeaderBytes = 6
const gib = 2 ** 30

/** Plausible figures of a machine, different for each variant. */
function figuresOf(variant: number): Heartbeat {
  const part = (variant + 0.5) / heartbeatVariants
  const used = Math.floor(part * 14 * gib) + variant
  const cpu = Math.round(part * 1_000) / 10
  const load = Math.round(part * 400) / 100
  return [cpu, used, 16 * gib, used * 20, 512 * gib, load, 86_400 + variant * 61, used * 3, used * 2, 180 + variant]
}

// The bytes after the sequence are equal for all frames of one variant, so they are encoded once.
const bodies = Array.from({ length: heartbeatVariants }, (_, variant) =>
  encodeHeartbeat(0, figuresOf(variant)).subarray(3),
)
const header = new Uint8Array(headerBytesMax)

/** A heartbeat inside a client's socket frame. The same sequence always gives the same bytes. */
export function heartbeatFrame(sequence: number): Buffer {
  const body = bodies[sequence % heartbeatVariants] ?? new Uint8Array(0)
  const headerBytes = writeHeader(header, heartbeat.type, sequence, 3)
  const length = headerBytes + body.length
  const frame = Buffer.allocUnsafe(clientHeaderBytes + length)
  frame[0] = 0x82
  frame[1] = 0x80 | length
  frame.fill(0, 2, clientHeaderBytes)
  for (let index = 0; index < headerBytes; index++) frame[clientHeaderBytes + index] = header[index] ?? 0
  frame.set(body, clientHeaderBytes + headerBytes)
  return frame
}
