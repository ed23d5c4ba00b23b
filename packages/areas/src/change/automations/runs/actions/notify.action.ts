import { deliverNow } from '../../../../platform/deliveries/index.ts'
import { sendToChannels } from '../../../../watch/channels/index.ts'
import { notify as notifyPeople } from '../../../../watch/notifications/index.ts'
import { actionKind, failed, type Step, succeeded, type Task, type TaskState } from './action-kind.ts'
import type { ActionOf } from './actions.contract.ts'

const linesMax = 50

async function tellOwner({ db, run, events }: Step, { id, device, action }: Task<ActionOf<'notify'>>): Promise<void> {
  const { title, message } = action
  const place = device === null ? {} : { siteId: device.siteId, deviceId: device.id }
  const link = { kind: 'automation', id: run.automationId }
  events.push(
    ...(await notifyPeople(db, [
      {
        ...{ partnerId: run.partnerId, orgId: run.orgId, type: 'automation', key: `automation:${id}` },
        subjects: [{ priority: 'normal', title, body: message, link, ...place }],
        audience: { userIds: [run.owner.userId] },
      },
    ])),
  )
}

async function tellChannels(
  { db, parts, run, afterCommit }: Step,
  { id, attempt, device, action }: Task<ActionOf<'notify'>>,
  channelIds: readonly string[],
): Promise<TaskState> {
  const accepted = await sendToChannels(
    db,
    channelIds.map((channelId) => ({
      channelId,
      key: `automation:${id}:${attempt}`,
      message: {
        kind: 'alert',
        groupKey: `automation:${run.id}`,
        title: action.title,
        severity: 'info',
        lines: [...(device === null ? [] : [device.hostname]), ...action.message.split('\n')].slice(0, linesMax),
        link: `${parts.settings.publicUrl}/automations/${run.automationId}/runs/${run.id}`,
        alerts: [],
      },
    })),
  )
  if (accepted.length === 0) return failed('No channel took the message: they are deleted or disabled')
  afterCommit.push(deliverNow)
  return succeeded
}

export const notify = actionKind({
  type: 'notify',
  on: 'texts',
  permissions: ({ channelIds = [] }) => (channelIds.length > 0 ? ['alerts:read'] : []),
  async begin(step, tasks) {
    const states = new Map<string, TaskState>()
    for (const task of tasks) {
      const { channelIds = [] } = task.action
      if (channelIds.length === 0) await tellOwner(step, task)
      states.set(task.id, channelIds.length === 0 ? succeeded : await tellChannels(step, task, channelIds))
    }
    return states
  },
})
