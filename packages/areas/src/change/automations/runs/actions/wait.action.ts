import { actionKind, failed, statesOf, succeeded, type TaskState } from './action-kind.ts'

const lookMs = 1_000

const after = (from: string | number, ms: number): string => new Date(new Date(from).getTime() + ms).toISOString()

export const wait = actionKind({
  type: 'wait',
  on: 'once',
  permissions: () => [],
  begin: async (_step, tasks) =>
    new Map(
      tasks.map(({ id, beganAt, action }) => [
        id,
        { status: 'running', dueAt: after(beganAt, action.seconds * 1_000) },
      ]),
    ),
  check: async (_step, tasks) => statesOf(tasks, () => succeeded),
})

export const waitOnline = actionKind({
  type: 'wait_online',
  on: 'devices',
  permissions: () => ['devices:read'],
  begin: async (_step, tasks) =>
    new Map(
      tasks.map(({ id, device, beganAt }): [string, TaskState] => [
        id,
        device?.isOnline === true ? succeeded : { status: 'running', dueAt: after(beganAt, lookMs) },
      ]),
    ),
  check: async (_step, tasks) =>
    new Map(
      tasks.map(({ id, device, beganAt, action }): [string, TaskState] => {
        if (device?.isOnline === true) return [id, succeeded]
        const isOver = Date.now() >= Date.parse(after(beganAt, action.seconds * 1_000))
        return [
          id,
          isOver
            ? failed('The device did not come online in time')
            : { status: 'running', dueAt: after(Date.now(), lookMs) },
        ]
      }),
    ),
})
