import { deviceById } from '../../fleet/devices/index.ts'
import { implement } from '../../operation.ts'
import { Activity, deviceMaintenance as contract, type Verdict } from './maintenance.contract.ts'
import { verdictsByActivity } from './verdicts.ts'

/** Alerts are sent rather than lost; everything else waits until the windows are known. */
const unknownVerdict = (activity: Activity): Verdict => ({
  permitted: activity === 'alerts',
  reason: 'unknown',
  windowId: null,
  until: null,
  nextPermittedAt: null,
})

export default implement(contract, {
  async get({ caller, input, db, services }) {
    const { id } = await deviceById(db, caller, input.id, services.clock.now())
    const verdicts = await verdictsByActivity(db, id, Activity.options).catch((error: unknown) => {
      services.log.error({ err: error, deviceId: id }, 'The verdicts of maintenance windows are unknown')
      return []
    })
    const known = new Map<Activity, Verdict>(verdicts)
    const of = (activity: Activity): Verdict => known.get(activity) ?? unknownVerdict(activity)
    return {
      deviceId: id,
      activities: {
        alerts: of('alerts'),
        scripts: of('scripts'),
        patches: of('patches'),
        automations: of('automations'),
        agentUpdates: of('agentUpdates'),
        software: of('software'),
        reboots: of('reboots'),
      },
    }
  },
})
