import { changeTag } from '../../../../fleet/devices/index.ts'
import { type ActionKind, actionKind, failed, type Step, succeeded, type Task, type TaskState } from './action-kind.ts'

type Change = 'add' | 'remove'

/** Changes the tags of the devices. Each text may differ by device. */
async function change({ db, events }: Step, tasks: readonly Task[], how: Change, tagOf: (task: Task) => string) {
  const states = new Map<string, TaskState>()
  for (const [tag, alike] of Map.groupBy(tasks, tagOf)) {
    const deviceIds = alike.flatMap(({ device }) => device?.id ?? [])
    const { faults, events: changed } = await changeTag(db, deviceIds, how, tag)
    events.push(...changed)
    for (const { id, device } of alike) {
      const fault = faults.get(device?.id ?? '')
      states.set(id, fault === undefined ? succeeded : failed(fault))
    }
  }
  return states
}

const tagOf = ({ action }: Task): string =>
  action.type === 'add_tag' || action.type === 'remove_tag' ? action.tag.trim() : ''

export const addTag: ActionKind = actionKind({
  type: 'add_tag',
  on: 'devices',
  permissions: () => ['devices:write'],
  begin: (step, tasks) => change(step, tasks, 'add', tagOf),
})

export const removeTag: ActionKind = actionKind({
  type: 'remove_tag',
  on: 'devices',
  permissions: () => ['devices:write'],
  begin: (step, tasks) => change(step, tasks, 'remove', tagOf),
})
