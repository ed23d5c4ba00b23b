// Commands to the devices of a run, in the name of its owner. How they end is reported by an outcome.
import { type BackgroundOrder, commandType, issueInBackground } from '../../../../control/commands/index.ts'
import { actionKind, failed, type Step, type Task, type TaskState } from './action-kind.ts'
import type { ActionOf } from './actions.contract.ts'

/** What keeps a device from the command only for a while. */
const passing: ReadonlySet<string> = new Set(['maintenance', 'commands_stopped', 'organization_suspended'])

/** Sends the same command to devices that are at the same attempt. */
async function send(
  step: Step,
  tasks: readonly Task<ActionOf<'command'>>[],
  attempt: number,
): Promise<[string, TaskState][]> {
  const { db, parts, run, afterCommit } = step
  const [first] = tasks
  if (first === undefined) return []
  const { command: type, payload } = first.action
  const { timeoutMs, expiresInSeconds } = commandType(type)
  const order: BackgroundOrder = {
    ...{ type, payload, timeoutMs, owner: run.owner, respectMaintenance: run.respectMaintenance },
    expiresAt: new Date(Date.now() + expiresInSeconds * 1_000).toISOString(),
    origin: { kind: 'automation', id: run.automationId, run: run.id, step: run.step, attempt },
  }
  const deviceIds = tasks.flatMap(({ device }) => device?.id ?? [])
  const issued = await issueInBackground(db, parts, order, deviceIds)
  afterCommit.push(issued.afterCommit)
  const commands = new Map(issued.commands.map(({ id, deviceId }) => [deviceId, id]))
  const reasons = new Map(issued.skipped.map(({ deviceId, reason }) => [deviceId, reason]))
  return tasks.map(({ id, device }): [string, TaskState] => {
    const commandId = commands.get(device?.id ?? '')
    if (commandId !== undefined) return [id, { status: 'running', dueAt: null, commandId }]
    const reason = reasons.get(device?.id ?? '') ?? 'gone'
    return [id, passing.has(reason) ? { status: 'skipped', error: reason } : failed(reason)]
  })
}

export const command = actionKind({
  type: 'command',
  on: 'devices',
  permissions: ({ command: type }) => [commandType(type).permission],
  async begin(step, tasks) {
    const states = new Map<string, TaskState>()
    for (const [attempt, alike] of Map.groupBy(tasks, (task) => task.attempt))
      for (const [id, state] of await send(step, alike, attempt)) states.set(id, state)
    return states
  },
})
