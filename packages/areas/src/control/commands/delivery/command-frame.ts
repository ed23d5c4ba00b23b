import type { Command } from '../commands.contract.ts'
import { frameToOrder, type Instruction } from './order-signer.ts'

/** What a device is sent of a command. */
export interface FramedCommand {
  readonly id: string
  readonly deviceId: string
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly timeoutMs: number
  readonly expiresAtMs: number
}

/** Encodes a command. @throws WireError if it does not fit into a frame */
export function commandFrame({ id, type, payload, timeoutMs, expiresAtMs }: FramedCommand): Uint8Array {
  const body = { id, type, payload, timeoutMs, expiresAt: expiresAtMs }
  return frameToOrder({ name: 'command', sequence: 0, body })
}

/** The frame of a stored command. @throws WireError if it does not fit */
export const frameOf = ({ expiresAt, ...command }: Omit<Command, 'stdout' | 'stderr'>): Uint8Array =>
  commandFrame({ ...command, expiresAtMs: Date.parse(expiresAt) })

/** The instruction that carries a command to its device. */
export const commandInstruction = (
  { id, deviceId }: Pick<FramedCommand, 'id' | 'deviceId'>,
  frame: Uint8Array,
): Instruction => ({ kind: 'frame', deviceId, frame, commandId: id })
