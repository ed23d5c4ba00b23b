import { z } from 'zod'
import { decodeBody, encodeFrame, type Header, readHeader, WireError } from './frame.ts'

/** One decoded frame. */
export interface Message<Name extends string, Body> {
  name: Name
  sequence: number
  body: Body
}

/** Declared once per message; encoding and decoding follow from it. */
export interface Declaration<Name extends string, Schema extends z.ZodType> {
  name: Name
  type: number
  meaning: string
  /** Whether it has a sequence number: from an agent its own count, from the server the number that it answers. */
  sequenced: boolean | 'optional'
  bytesMax: number
  body: Schema
}

export interface MessageKind<Name extends string, Schema extends z.ZodType> extends Declaration<Name, Schema> {
  read(bytes: Uint8Array, header: Header): Message<Name, z.output<Schema>>
}

/** Turns a declaration into a message that can be read from a frame. */
export function defineMessage<Name extends string, Schema extends z.ZodType>(
  declaration: Declaration<Name, Schema>,
): MessageKind<Name, Schema> {
  return {
    ...declaration,
    read(bytes, header) {
      checkEnvelope(declaration, bytes, header)
      const parsed = declaration.body.safeParse(decodeBody(bytes, header))
      if (!parsed.success)
        throw new WireError('malformed', `${declaration.name}: ${z.prettifyError(parsed.error).slice(0, 500)}`)
      return { name: declaration.name, sequence: header.sequence, body: parsed.data }
    },
  }
}

function checkEnvelope(kind: Declaration<string, z.ZodType>, bytes: Uint8Array, header: Header): void {
  if (bytes.length > kind.bytesMax)
    throw new WireError('tooLarge', `A ${kind.name} may be at most ${kind.bytesMax} bytes long`)
  if (kind.sequenced !== 'optional' && kind.sequenced !== header.sequence > 0)
    throw new WireError('malformed', `A ${kind.name} ${kind.sequenced ? 'needs a' : 'must not have a'} sequence number`)
}

/** Reads a header; throws WireError when it is invalid. */
export function headerOf(bytes: Uint8Array): Header {
  const header = readHeader(bytes)
  if (header.fault !== null) throw new WireError(header.fault, 'The frame header is invalid')
  return header
}

/** Encodes a frame and enforces the size limit of its kind. */
export function encodeMessage(kind: Declaration<string, z.ZodType>, sequence: number, body: unknown): Uint8Array {
  const frame = encodeFrame(kind.type, sequence, body)
  if (frame.length > kind.bytesMax)
    throw new WireError('tooLarge', `A ${kind.name} may be at most ${kind.bytesMax} bytes long`)
  return frame
}
