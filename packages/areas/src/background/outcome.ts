// What the end of a command changes besides the command, declared by the area that the change belongs to.
import type { Db } from '@muster/db/database.ts'
import type { Transaction } from '@muster/db/transaction.ts'
import type { Command, CommandStatus, QueuedCommand } from '../control/commands/commands.contract.ts'
import type { Origin, OriginKind } from '../control/commands/plans/origin.contract.ts'
import type { CommandSubject } from '../control/commands/subject.contract.ts'
import type { PartnerEvent } from '../platform/live-events/publish.ts'

/** A command that ended: its device reported the result, its time ended, or it was canceled before it started. */
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
  /** Where it belongs in the plan that sent it; null for commands of people. */
  readonly origin: Origin | null
}

export interface Applied {
  /** Fields to add to the results of commands, by command ID. */
  readonly additions?: ReadonlyMap<string, Readonly<Record<string, unknown>>>
  /** Published after the commit. */
  readonly events?: readonly PartnerEvent[]
}

export interface Outcome {
  readonly command: QueuedCommand | 'any'
  /** Only for commands of plans of these kinds; for all commands if absent. */
  readonly origins?: readonly OriginKind[]
  /**
   * Runs once for each command that ends, in the transaction that stores the end, after the result is stored. In requests
   * that cancel commands it has the rights of the caller. `db` is the same transaction.
   */
  apply(transaction: Transaction, ended: readonly EndedCommand[], db: Db): Promise<Applied>
  /** Runs when commands of the type were created for a subject, in the transaction that creates them. */
  begin?(db: Db, subject: CommandSubject, commands: readonly Command[]): Promise<void>
}

export const outcome = (declared: Outcome): Outcome => declared
