import { raiseAlerts } from '../../../../watch/alerts/index.ts'
import { actionKind, statesOf, succeeded } from './action-kind.ts'

export const createAlert = actionKind({
  type: 'create_alert',
  on: 'devices',
  permissions: () => ['alerts:write'],
  async begin({ db, run, events }, tasks) {
    const raised = await raiseAlerts(
      db,
      tasks.flatMap(({ device, action: { severity, title, message = '' } }) =>
        device === null
          ? []
          : [
              {
                ...{ source: 'automation' as const, key: `${run.automationId}:${run.step}:${device.id}` },
                ...{ partnerId: device.partnerId, orgId: device.orgId, siteId: device.siteId, deviceId: device.id },
                ...{ severity, title, message, autoResolve: false, reopenSeconds: 0 },
                context: { automationId: run.automationId, runId: run.id },
              },
            ],
      ),
    )
    events.push(...raised.events)
    return statesOf(tasks, () => succeeded)
  },
})
