import { secretBytesMax, takesSecrets } from '@muster/wire/commands/scripts.ts'
import { sealedBytesMax } from '@muster/wire/sealing.ts'
import { type SecretIds, secretsIn } from '../../secrets/index.ts'
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
  /** What allows its script. */
  readonly scriptGrant: string | null
  /** The secrets that its script gets, by variable. */
  readonly secretIds: SecretIds | null
}

type Sealed = Uint8Array | undefined

/** Encodes a command. @param sealed the values of its secrets @throws WireError if it does not fit into a frame */
export function commandFrame(command: FramedCommand, sealed: Sealed): Uint8Array {
  const { id, type, payload, timeoutMs, expiresAtMs, scriptGrant } = command
  const allowed = {
    ...(scriptGrant === null ? {} : { grant: scriptGrant }),
    ...(sealed === undefined ? {} : { sealed }),
  }
  const body = { id, type, payload, timeoutMs, expiresAt: expiresAtMs, ...allowed }
  return frameToOrder({ name: 'command', sequence: 0, body })
}

/** A command as it is stored when it is issued. */
export type IssuedCommand = Command & Pick<FramedCommand, 'scriptGrant' | 'secretIds'>

type Unframed = Omit<FramedCommand, 'expiresAtMs'> & Pick<Command, 'expiresAt'>

/** The frame of a stored command. @throws WireError if it does not fit */
export const frameOf = ({ expiresAt, ...command }: Unframed, sealed: Sealed): Uint8Array =>
  commandFrame({ ...command, expiresAtMs: Date.parse(expiresAt) }, sealed)

/** The frame of a command that takes no secrets; undefined for one that does. @throws WireError if it may not fit */
export function plainFrameOf(command: Unframed): Uint8Array | undefined {
  if (!takesSecrets(command.payload)) return frameOf(command, undefined)
  // Escaped as JSON, no value is longer than twice its size.
  const largest = Object.keys(secretsIn(command.payload)).length * 2 * secretBytesMax
  frameOf(command, new Uint8Array(Math.min(largest, sealedBytesMax)))
  return undefined
}

/** The instruction that carries a command to its device. */
export const commandInstruction = (
  { id, deviceId }: Pick<FramedCommand, 'id' | 'deviceId'>,
  frame: Uint8Array,
): Instruction => ({ kind: 'frame', deviceId, frame, commandId: id })
