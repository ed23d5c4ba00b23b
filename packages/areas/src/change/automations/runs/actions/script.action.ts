// Runs a kept script on the devices of a run, in the name of its owner: the version that was approved and signed when a person
// enabled or edited the automation. How it ends is reported by an outcome.
import type { DeploymentWork } from '../../../../background/deployment-kind.ts'
import { openValues, scriptForDevices, withValues } from '../../../scripts/index.ts'
import { workByHash } from '../../works.ts'
import { actionKind, failed, type Step, statesOf, type Task, type TaskState } from './action-kind.ts'
import type { ActionOf } from './actions.contract.ts'
import { sendWork } from './send-work.ts'

type ScriptTask = Task<ActionOf<'run_script'>>

/** Sends the script to devices that are at the same attempt and whose texts are the same. */
async function send(step: Step, tasks: readonly ScriptTask[], fixed: DeploymentWork): Promise<[string, TaskState][]> {
  const [first] = tasks
  if (first === undefined) return []
  const { attempt, action } = first
  const { waitSeconds, parameters = {} } = action
  const work = withValues(fixed, openValues(fixed, parameters))
  const devices = tasks.flatMap(({ device }) => (device === null ? [] : [{ id: device.id, osType: device.osType }]))
  const { deviceEnv, left } = await scriptForDevices(step.db, work, devices)
  const unable = new Map(left.map((each) => [each.deviceId, each]))
  const able = tasks.filter(({ device }) => !unable.has(device?.id ?? ''))
  const sent = await sendWork(step, able, {
    work,
    attempt,
    waitSeconds,
    ...(deviceEnv === undefined ? {} : { deviceEnv }),
  })
  return [
    ...sent,
    ...tasks.flatMap(({ id, device }): [string, TaskState][] => {
      const why = unable.get(device?.id ?? '')
      if (why === undefined) return []
      const error = why.error ?? why.reason
      return [[id, why.status === 'skipped' ? { status: 'skipped', error } : failed(error)]]
    }),
  ]
}

export const runScript = actionKind({
  type: 'run_script',
  on: 'devices',
  permissions: () => ['scripts:execute'],
  async begin(step, tasks) {
    const { db, run } = step
    const work = run.workHash === null ? undefined : await workByHash(db, run.automationId, run.workHash)
    if (work === undefined) return statesOf(tasks, () => failed('The automation was changed after the run had begun'))
    const alike = Map.groupBy(tasks, ({ attempt, action }) => JSON.stringify([attempt, action.parameters]))
    const states = new Map<string, TaskState>()
    for (const group of alike.values()) for (const [id, state] of await send(step, group, work)) states.set(id, state)
    return states
  },
  check: async (_step, tasks) => statesOf(tasks, () => failed('The script did not end in time')),
})
