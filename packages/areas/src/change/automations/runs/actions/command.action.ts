// Commands to the devices of a run, in the name of its owner. How they end is reported by an outcome.
import { commandType } from '../../../../control/commands/index.ts'
import { actionKind, type TaskState } from './action-kind.ts'
import { sendWork } from './send-work.ts'

export const command = actionKind({
  type: 'command',
  on: 'devices',
  permissions: ({ command: type }) => [commandType(type).permission],
  async begin(step, tasks) {
    const states = new Map<string, TaskState>()
    for (const [attempt, alike] of Map.groupBy(tasks, (task) => task.attempt)) {
      const [first] = alike
      if (first === undefined) continue
      const { command: type, payload } = first.action
      const { timeoutMs, expiresInSeconds } = commandType(type)
      const work = { type, payload, timeoutMs, expiresInSeconds }
      for (const [id, state] of await sendWork(step, alike, { work, attempt })) states.set(id, state)
    }
    return states
  },
})
