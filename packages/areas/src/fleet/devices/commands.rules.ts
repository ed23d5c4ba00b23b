import type { CommandStatus } from './commands.contract.ts'

/**
 * What can happen to a command: it was handed to the device's socket, came back because the device was not there,
 * began, or ended in one of five ways.
 */
export const commandEvents = [
  'sent',
  'refused',
  'running',
  'completed',
  'failed',
  'timed_out',
  'cancelled',
  'expired',
] as const
export type CommandEvent = (typeof commandEvents)[number]

const ends = {
  completed: 'completed',
  failed: 'failed',
  timed_out: 'timed_out',
  cancelled: 'cancelled',
  expired: 'expired',
} as const

// Reports overtake each other: a result may be stored before the note that the command was sent, so every open state can end.
// A running command never goes back, and what has ended stays as it is.
const transitions: Readonly<Record<CommandStatus, Readonly<Partial<Record<CommandEvent, CommandStatus>>>>> = {
  pending: { sent: 'sent', running: 'running', ...ends },
  sent: { sent: 'sent', refused: 'pending', running: 'running', ...ends },
  running: { running: 'running', ...ends },
  completed: {},
  failed: {},
  timed_out: {},
  cancelled: {},
  expired: {},
}

/** The state after an event; null when the event means nothing to a command in this state. */
export const nextStatus = (current: CommandStatus, event: CommandEvent): CommandStatus | null =>
  transitions[current][event] ?? null

const statuses = Object.keys(transitions) as readonly CommandStatus[]

/** The states in which a command is still to be done. */
export const openStatuses: readonly CommandStatus[] = statuses.filter((status) => nextStatus(status, 'failed') !== null)

export const hasEnded = (status: CommandStatus): boolean => !openStatuses.includes(status)

/** The states that an event changes or confirms: the guard of an UPDATE over many commands. */
export const statusesBefore = (event: CommandEvent): readonly CommandStatus[] =>
  statuses.filter((status) => nextStatus(status, event) !== null)
