import { z } from 'zod'
import { encodeFrame } from '../frame.ts'
import { smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'

export const Ack = z.undefined()
export type Ack = z.infer<typeof Ack>

export const ack = defineMessage({
  name: 'ack',
  type: 3,
  meaning: 'The frame with this sequence of this boot is durable: the agent can discard it.',
  sequenced: true,
  bytesMax: smallFrameBytesMax,
  body: Ack,
})

/** Encodes the shortest frame, which is sent once per durable frame. */
export function encodeAck(sequence: number): Uint8Array {
  return encodeFrame(ack.type, sequence)
}
