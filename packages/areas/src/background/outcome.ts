// What the end of a command changes besides the command, declared by the area that the change belongs to.
import type pg from 'pg'
import type { CommandStatus, QueuedCommand } from '../control/commands/commands.contract.ts'
import type { PartnerEvent } from '../platform/live-events/publish.ts'

/** A command that ended: its device reported the result, or its time ran out. */
export interface EndedCommand {
  readonly id: string
  readonly deviceId: string
  readonly orgId: string
  readonly partnerId: string
  readonly type: string
  readonly status: CommandStatus
  readonly exitCode: number | null
  /** As reported with the end. */
  readonly stdout: string | null
}

export interface Applied {
  /** Fields to add to the results of commands, by command ID. */
  readonly additions?: ReadonlyMap<string, Readonly<Record<string, unknown>>>
  /** Published after the commit. */
  readonly events?: readonly PartnerEvent[]
}

export interface Outcome {
  readonly command: QueuedCommand
  /** Runs once for each command that ends, in the transaction that stores the end, after the result is stored. */
  apply(client: pg.PoolClient, ended: readonly EndedCommand[]): Promise<Applied>
}

export const outcome = (declared: Outcome): Outcome => declared
