import { randomUUID } from 'node:crypto'
import { type DownMessage, decodeDown } from '@muster/wire/down.ts'
import type { Command } from '@muster/wire/messages/command.ts'
import { messageIn } from '@muster/wire/orders.ts'

/** A command as the server sends it, with the fields of a test. */
export const commandMessage = (body: Partial<Command> = {}): DownMessage => ({
  name: 'command',
  sequence: 0,
  body: {
    id: randomUUID(),
    type: 'run_script',
    payload: {},
    timeoutMs: 10_000,
    expiresAt: Date.now() + 60_000,
    ...body,
  },
})

/** The message in a frame, without its order. */
export function opened(bytes: Uint8Array): DownMessage {
  const message = decodeDown(bytes)
  return message.name === 'order' ? messageIn(message.body) : message
}
