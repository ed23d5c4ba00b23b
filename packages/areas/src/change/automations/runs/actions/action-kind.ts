// How an action is carried out. Each type of action is a value.
import type { Db } from '@muster/db/database.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import type { WorkerParts } from '../../../../background/worker-parts.ts'
import type { PlanOwner } from '../../../../control/commands/plans/owner.contract.ts'
import type { PartnerEvent } from '../../../../platform/live-events/index.ts'
import type { Action, ActionOf, ActionType } from './actions.contract.ts'

/** A device as templates see it. Secrets have no field. */
export interface RunDevice {
  readonly id: string
  readonly partnerId: string
  readonly orgId: string
  readonly siteId: string | null
  readonly hostname: string
  readonly isOnline: boolean
  readonly osType: string | null
  readonly fields: Readonly<Record<string, unknown>>
}

/** The run that a step belongs to. */
export interface RunOfStep {
  readonly id: string
  readonly automationId: string
  /** Of the automation. */
  readonly name: string
  readonly partnerId: string
  readonly orgId: string | null
  readonly owner: PlanOwner
  readonly respectMaintenance: boolean
  readonly step: number
  readonly chain: readonly string[]
  /** Of what the step sends; null if it sends nothing. */
  readonly workHash: string | null
}

export interface Step {
  /** The transaction of the move. */
  readonly db: Db
  readonly parts: WorkerParts
  readonly run: RunOfStep
  /** Published after the commit. */
  readonly events: PartnerEvent[]
  readonly afterCommit: (() => unknown)[]
}

/** What a step does on one device, or once. */
export interface Task<Of extends Action = Action> {
  readonly id: string
  readonly device: RunDevice | null
  readonly attempt: number
  readonly beganAt: string
  /** With its texts rendered. */
  readonly action: Of
}

export type TaskState =
  | { readonly status: 'succeeded'; readonly commandId?: string }
  | { readonly status: 'failed'; readonly error: string }
  | { readonly status: 'skipped'; readonly error: string }
  /** It is looked at again then; null: its end is reported. */
  | { readonly status: 'running'; readonly dueAt: string | null; readonly commandId?: string }

export const succeeded: TaskState = { status: 'succeeded' }
export const failed = (error: string): TaskState => ({ status: 'failed', error })

export type TaskStates = ReadonlyMap<string, TaskState>

interface Declared<Type extends ActionType> {
  readonly type: Type
  /** What its owner needs. */
  permissions(action: ActionOf<Type>): readonly Permission[]
  /** Whether it is carried out on each device, once, or on each device only if its texts name the device. */
  readonly on: 'devices' | 'once' | 'texts'
  begin(step: Step, tasks: readonly Task<ActionOf<Type>>[]): Promise<TaskStates>
  /** Looks at tasks that are under way and due. */
  check?(step: Step, tasks: readonly Task<ActionOf<Type>>[]): Promise<TaskStates>
}

export interface ActionKind {
  readonly type: ActionType
  readonly on: 'devices' | 'once' | 'texts'
  permissions(action: Action): readonly Permission[]
  begin(step: Step, tasks: readonly Task[]): Promise<TaskStates>
  check(step: Step, tasks: readonly Task[]): Promise<TaskStates>
}

const isOf = <Type extends ActionType>(type: Type, action: Action): action is ActionOf<Type> => action.type === type

/** Declares a type of action. */
export function actionKind<Type extends ActionType>(declared: Declared<Type>): ActionKind {
  const { type, on, permissions, begin, check } = declared
  const own = (tasks: readonly Task[]): Task<ActionOf<Type>>[] =>
    tasks.flatMap(({ action, ...task }) => (isOf(type, action) ? [{ ...task, action }] : []))
  return {
    type,
    on,
    permissions: (action) => (isOf(type, action) ? permissions(action) : []),
    begin: (step, tasks) => begin(step, own(tasks)),
    check: (step, tasks) => (check === undefined ? Promise.resolve(new Map()) : check(step, own(tasks))),
  }
}

/** The same for each task. */
export const statesOf = (tasks: readonly Task[], state: (task: Task) => TaskState): TaskStates =>
  new Map(tasks.map((task) => [task.id, state(task)]))
