import type { Capability } from '@muster/wire/capabilities.ts'
import type { Condition } from '../../fleet/devices/devices.rules.ts'
import { type Inability, inabilityOf } from '../../fleet/devices/state/capabilities.rules.ts'
import type { CommandStatus, SkipReason } from './commands.contract.ts'

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

type Refusal = Exclude<SkipReason, 'already_pending'>

/** Why a device takes no commands at all; null when it does. An offline device gets them when it is back. */
export function commandRefusal(
  lifecycle: Condition['lifecycle'],
  organizationStatus: 'active' | 'suspended' | 'trial' | 'churned',
): Refusal | null {
  if (lifecycle !== 'active') return lifecycle
  return organizationStatus === 'suspended' || organizationStatus === 'churned' ? 'organization_suspended' : null
}

/** What a command asks of the machine and its agent. */
export interface Requirement {
  readonly minAgentVersion: string
  readonly capabilities: readonly Capability[]
}

const refusals: Readonly<Record<Inability, Refusal>> = {
  UNSUPPORTED_PLATFORM: 'unsupported_platform',
  MISSING_TOOL: 'missing_tool',
  NOT_PERMITTED: 'not_permitted',
  AGENT_TOO_OLD: 'agent_too_old',
}

interface Machine {
  readonly osType: string | null
  readonly agentVersion: string | null
  /** What its agent can do, as it said; null if it said nothing. */
  readonly capabilities: string | null
}

/** Why a device cannot do such a command; null when it can, or when it has not said enough of itself yet. */
export function incapacity(machine: Machine, { minAgentVersion, capabilities }: Requirement): Refusal | null {
  for (const name of capabilities) {
    const inability = inabilityOf(machine, name)
    if (inability !== null) return refusals[inability]
  }
  return machine.agentVersion === null || isAtLeast(machine.agentVersion, minAgentVersion) ? null : 'agent_too_old'
}

/** Compares the numbers of two versions; a candidate counts as the version that it is a candidate for. */
function isAtLeast(version: string, least: string): boolean {
  const [given, wanted] = [numbersOf(version), numbersOf(least)]
  for (let index = 0; index < wanted.length; index++) {
    const difference = (given[index] ?? 0) - (wanted[index] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return true
}

const numbersOf = (version: string): number[] =>
  (/^v?(\d{1,9}(?:\.\d{1,9})*)/.exec(version)?.[1] ?? '').split('.').map((part) => Number(part) || 0)
