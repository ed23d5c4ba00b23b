// A kind of orders that deployments give to devices, declared by the area that the order belongs to.
import type { Db } from '@muster/db/database.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import { z } from 'zod'
import { type CommandStatus, QueuedCommand } from '../control/commands/commands.contract.ts'
import { CommandSubject } from '../control/commands/subject.contract.ts'
import { type OfferedKind, OfferedWork } from './offered-kind.ts'
import type { LeftDevice, Ordering } from './ordering.ts'

/** What devices are sent. It is stored when the deployment starts, and does not change with what it was made of. */
export const DeploymentWork = z.object({
  type: QueuedCommand,
  payload: z.record(z.string(), z.json()),
  timeoutMs: z.number(),
  /** How long a command waits for its device. */
  expiresInSeconds: z.number(),
  /** What the commands do the work of; null for a command as such. */
  subject: CommandSubject.nullable(),
  /** Variables of a script that differ by device. */
  perDevice: z.array(z.string()),
})
export type DeploymentWork = z.infer<typeof DeploymentWork>

/** The work of any kind, as it is stored. */
export const StoredWork = z.union([DeploymentWork, OfferedWork])
export type StoredWork = z.infer<typeof StoredWork>

export interface WorkedDevice {
  readonly id: string
  readonly osType: string | null
}

export interface WorkForDevices {
  readonly deviceEnv?: ReadonlyMap<string, Readonly<Record<string, string>>>
  readonly left: readonly LeftDevice[]
}

/** The end of a command, as it is stored. */
export interface EndedWork {
  readonly commandId: string
  readonly status: CommandStatus
  readonly exitCode: number | null
}

export type DeviceOutcome = 'succeeded' | 'failed' | 'cancelled' | 'expired'

/** The outcome of a command that succeeds by its exit code. */
export function outcomeOf({ status, exitCode }: EndedWork): DeviceOutcome {
  if (status === 'cancelled' || status === 'expired') return status
  return status === 'completed' && (exitCode ?? 0) === 0 ? 'succeeded' : 'failed'
}

interface Declared<Order extends { readonly kind: string }> {
  readonly kind: Order['kind']
  readonly order: z.ZodType<Order>
  /** What the person must hold, and the owner as long as it runs, beside the permission for deployments. */
  permissions(order: Order): readonly Permission[]
  /** The work of an order. @throws VALIDATION_ERROR naming the field that is wrong, FORBIDDEN */
  prepare(by: Ordering, order: Order): Promise<DeploymentWork>
  /** What single devices get beside the work, and which devices do not get it. */
  forDevices(db: Db, work: DeploymentWork, devices: readonly WorkedDevice[]): Promise<WorkForDevices>
  /** What the ends of commands mean for their devices, by the id of the command. */
  outcomesOf(db: Db, work: DeploymentWork, ended: readonly EndedWork[]): Promise<ReadonlyMap<string, DeviceOutcome>>
}

/** A kind whose orders are commands, for orders that are read from the database. */
export interface CommandedKind extends Pick<Declared<{ readonly kind: string }>, 'kind' | 'forDevices' | 'outcomesOf'> {
  readonly by: 'commands'
  permissions(order: unknown): readonly Permission[]
  prepare(by: Ordering, order: unknown): Promise<DeploymentWork>
}

export type DeploymentKind = CommandedKind | OfferedKind

export const deploymentKind = <Order extends { readonly kind: string }>(declared: Declared<Order>): CommandedKind => ({
  ...declared,
  by: 'commands',
  permissions: (order) => declared.permissions(declared.order.parse(order)),
  prepare: (by, order) => declared.prepare(by, declared.order.parse(order)),
})
