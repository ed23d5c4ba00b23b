// A deployment while it is edited. Numbers are texts until they are sent.
import type { Batch, StrategyInput } from '@muster/areas/change/deployments/batches/strategy.contract.ts'
import { defaultStrategy } from '@muster/areas/change/deployments/batches/strategy.contract.ts'
import type { Deployment } from '@muster/areas/change/deployments/deployments.contract.ts'
import type { Gate } from '@muster/areas/change/deployments/gates/gate.contract.ts'
import type { ScriptParameter } from '@muster/areas/change/scripts/parameters.contract.ts'
import type { QueuedCommand } from '@muster/areas/control/commands/commands.contract.ts'
import { localMoment, momentOf } from '../../../../ui/text/localMoment.ts'
import {
  draftOf,
  emptyGroup,
  type Fields,
  filterOf,
  type Group,
  isSound,
  newRule,
} from '../../../fleet/filters/draft.ts'
import {
  allDevices,
  faultOfTargets,
  isNothing,
  type TargetDraft,
  targetDraftOf,
  targetsOf,
} from '../../../fleet/targets/targetDraft.ts'
import { faultOfValues, type ValueDrafts, valueDraftsOf, valuesOf } from '../../scripts/runs/runDraft.ts'

export type BatchKind = 'percent' | 'count' | 'groupIds' | 'filter'
export interface BatchDraft {
  readonly key: string
  readonly kind: BatchKind
  /** Of percent and count. */
  readonly number: string
  readonly groupIds: readonly string[]
  readonly filter: Group
}

export type GateType = Gate['type']
export interface GateDraft {
  readonly key: string
  readonly type: GateType
  /** Percent, alerts or percent by which the figure is worse. */
  readonly number: string
  readonly severity: Extract<Gate, { type: 'alerts' }>['severity']
  readonly field: Extract<Gate, { type: 'metric' }>['field']
  readonly filter: Group
}

export interface OrderDraft {
  /** `kept`: the order of a kind that this form does not edit. */
  readonly kind: 'script' | 'command' | 'kept'
  readonly scriptId: string
  readonly values: ValueDrafts
  readonly command: QueuedCommand
  readonly payload: string
}

/** A script, as far as its values need it. */
export interface Parameterized {
  readonly parameters: readonly ScriptParameter[]
}

export interface DeploymentDraft {
  readonly name: string
  readonly description: string
  readonly order: OrderDraft
  readonly targets: TargetDraft
  readonly batches: readonly BatchDraft[]
  readonly gates: readonly GateDraft[]
  readonly soakSeconds: string
  readonly successPercent: string
  readonly errorKind: 'percent' | 'count'
  readonly errors: string
  readonly maxConcurrency: string
  readonly perMinute: string
  readonly retries: string
  readonly retrySeconds: string
  readonly respectMaintenance: boolean
  readonly offline: 'wait' | 'skip'
  /** In the browser's own field. */
  readonly startAt: string
  readonly deadlineAt: string
}

const emptyFilter = (): Group => ({ ...emptyGroup(), parts: [newRule()] })

export const newBatch = (): BatchDraft => ({
  ...{ key: crypto.randomUUID(), kind: 'percent', number: '100', groupIds: [], filter: emptyFilter() },
})

const batchDraftOf = (batch: Batch): BatchDraft => {
  if ('percent' in batch) return { ...newBatch(), number: String(batch.percent) }
  if ('count' in batch) return { ...newBatch(), kind: 'count', number: String(batch.count) }
  if ('filter' in batch) return { ...newBatch(), kind: 'filter', filter: draftOf(batch.filter) }
  return { ...newBatch(), kind: 'groupIds', groupIds: batch.groupIds }
}

export const newGate = (): GateDraft => ({
  ...{ key: crypto.randomUUID(), type: 'online', number: '95', severity: 'high', field: 'cpuPercent' },
  filter: emptyFilter(),
})

/** The usual number of a gate that becomes one of another type. */
export const usualNumbers: Readonly<Record<GateType, string>> = {
  online: '95',
  filter: '95',
  alerts: '0',
  metric: '20',
  person: '',
}

const gateDraftOf = (gate: Gate): GateDraft => {
  const fresh = { ...newGate(), type: gate.type }
  switch (gate.type) {
    case 'online':
      return { ...fresh, number: String(gate.percent) }
    case 'filter':
      return { ...fresh, number: String(gate.percent), filter: draftOf(gate.filter) }
    case 'alerts':
      return { ...fresh, number: String(gate.max), severity: gate.severity }
    case 'metric':
      return { ...fresh, number: String(gate.worseByPercent), field: gate.field }
    case 'person':
      return fresh
  }
}

const newOrder: OrderDraft = { kind: 'script', scriptId: '', values: {}, command: 'refresh_inventory', payload: '{}' }

function orderDraftOf({ order }: Deployment): OrderDraft {
  if (order.kind === 'script') {
    const values = Object.entries(order.parameters ?? {}).map(([name, value]) => [
      name,
      typeof value !== 'object'
        ? { kind: 'typed', text: String(value) }
        : 'field' in value
          ? { kind: 'field', text: value.field }
          : { kind: 'typed', text: value.secret },
    ])
    return { ...newOrder, scriptId: order.scriptId, values: Object.fromEntries(values) }
  }
  if (order.kind === 'command')
    return { ...newOrder, kind: 'command', command: order.type, payload: JSON.stringify(order.payload, null, 2) }
  return { ...newOrder, kind: 'kept' }
}

export function deploymentDraftOf(deployment: Deployment | undefined): DeploymentDraft {
  const strategy = deployment?.strategy ?? defaultStrategy
  const { maxErrors, perMinute, retries } = strategy
  const local = (at: string | null | undefined) => (at ? localMoment(at) : '')
  return {
    name: deployment?.name ?? '',
    description: deployment?.description ?? '',
    order: deployment === undefined ? newOrder : orderDraftOf(deployment),
    targets: deployment === undefined ? allDevices : targetDraftOf(deployment),
    batches: strategy.batches.map(batchDraftOf),
    gates: strategy.gates.map(gateDraftOf),
    soakSeconds: String(strategy.soakSeconds),
    successPercent: String(strategy.successPercent),
    errorKind: 'count' in maxErrors ? 'count' : 'percent',
    errors: String('count' in maxErrors ? maxErrors.count : maxErrors.percent),
    maxConcurrency: String(strategy.maxConcurrency),
    perMinute: perMinute === null ? '' : String(perMinute),
    retries: String(retries.max),
    retrySeconds: String(retries.delaySeconds),
    respectMaintenance: strategy.respectMaintenance,
    offline: strategy.offline,
    startAt: local(deployment?.startAt),
    deadlineAt: local(deployment?.deadlineAt),
  }
}

function batchOf({ kind, number, groupIds, filter }: BatchDraft): Batch {
  if (kind === 'percent') return { percent: Number(number) }
  if (kind === 'count') return { count: Number(number) }
  return kind === 'groupIds' ? { groupIds: [...groupIds] } : { filter: filterOf(filter) ?? { all: [] } }
}

function gateOf({ type, number, severity, field, filter }: GateDraft): Gate {
  switch (type) {
    case 'online':
      return { type, percent: Number(number) }
    case 'filter':
      return { type, percent: Number(number), filter: filterOf(filter) ?? { all: [] } }
    case 'alerts':
      return { type, severity, max: Number(number) }
    case 'metric':
      return { type, field, worseByPercent: Number(number) }
    case 'person':
      return { type }
  }
}

const strategyOf = (draft: DeploymentDraft): StrategyInput => ({
  batches: draft.batches.map(batchOf),
  gates: draft.gates.map(gateOf),
  soakSeconds: Number(draft.soakSeconds),
  successPercent: Number(draft.successPercent),
  maxErrors: draft.errorKind === 'count' ? { count: Number(draft.errors) } : { percent: Number(draft.errors) },
  maxConcurrency: Number(draft.maxConcurrency),
  perMinute: draft.perMinute.trim() === '' ? null : Number(draft.perMinute),
  retries: { max: Number(draft.retries), delaySeconds: Number(draft.retrySeconds) },
  respectMaintenance: draft.respectMaintenance,
  offline: draft.offline,
})

/** The order of a request; undefined for one that the form does not edit. */
function orderOf(draft: OrderDraft, script: Parameterized | undefined) {
  const { kind, scriptId, command, payload } = draft
  if (kind === 'script')
    return {
      kind,
      scriptId,
      ...(script && { parameters: valuesOf(script.parameters, valuesIn(draft, script)) }),
    } as const
  return kind === 'command' ? ({ kind, type: command, payload: JSON.parse(payload) } as const) : undefined
}

/** What a request says of the deployment. */
export const requestOf = (draft: DeploymentDraft, script: Parameterized | undefined) => ({
  ...{ name: draft.name, description: draft.description.trim() || null, ...targetsOf(draft.targets) },
  ...{ strategy: strategyOf(draft), startAt: momentOf(draft.startAt), deadlineAt: momentOf(draft.deadlineAt) },
  order: orderOf(draft.order, script),
})

/** The values of the parameters, as they are by default where nothing was typed. */
export const valuesIn = ({ values }: OrderDraft, { parameters }: Parameterized): ValueDrafts => ({
  ...valueDraftsOf(parameters),
  ...values,
})

export function isJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** Why what is not a number field cannot be sent; undefined when it can. */
export function faultOfDraft(
  draft: DeploymentDraft,
  script: Parameterized | undefined,
  fields: Fields,
): string | undefined {
  const { order, targets } = draft
  const filters = [
    ...draft.batches.flatMap(({ kind, filter }) => (kind === 'filter' ? [filter] : [])),
    ...draft.gates.flatMap(({ type, filter }) => (type === 'filter' ? [filter] : [])),
  ]
  if (draft.name.trim() === '') return 'Enter a name'
  if (order.kind === 'script' && order.scriptId === '') return 'Select a script'
  if (order.kind === 'script' && script === undefined) return 'Loading the script'
  if (order.kind === 'script' && script !== undefined) {
    const fault = faultOfValues(script.parameters, valuesIn(order, script))
    if (fault !== undefined) return fault
  }
  if (order.kind === 'command' && !isJson(order.payload)) return 'Enter the payload as a JSON object'
  const fault = faultOfTargets(targets, fields)
  if (fault !== undefined) return fault
  if (isNothing(targets.targets) && targets.filter === null) return 'Select devices'
  if (draft.batches.length === 0) return 'Add a batch'
  if (draft.batches.some(({ kind, groupIds }) => kind === 'groupIds' && groupIds.length === 0))
    return 'Select a group for each batch of groups'
  if (filters.some((filter) => filterOf(filter) === undefined || !isSound(filter, fields)))
    return 'Complete the filters of batches and gates'
  return undefined
}
