// Every type of event, one line per area. Webhooks and rules choose among these.

import { deploymentCompleted, deploymentHalted } from './change/deployments/deployment-events.contract.ts'
import { policyEvents } from './change/device-policies/policies-events.contract.ts'
import { scriptEnded } from './change/scripts/executions/script-events.contract.ts'
import { commandFailed } from './control/commands/commands-events.contract.ts'
import {
  maintenanceEnded,
  maintenanceNotReturned,
  maintenanceStarted,
} from './control/maintenance/maintenance-events.contract.ts'
import { agentUpdateFailed } from './control/rollouts/rollouts-events.contract.ts'
import { deviceEvents } from './fleet/devices/devices-events.contract.ts'
import { groupJoined, groupLeft } from './fleet/groups/groups-events.contract.ts'
import type { EventType } from './platform/events/event-type.contract.ts'
import { alertEvents } from './watch/alerts/alerts-events.contract.ts'
import { systemAlive } from './watch/alerts/alive/alive-events.contract.ts'
import { channelFailed } from './watch/channels/channel-events.contract.ts'
import { monitorChangedEvent } from './watch/monitors/monitors-events.contract.ts'

export const eventTypes: readonly EventType[] = [
  ...deviceEvents,
  ...[groupJoined, groupLeft, scriptEnded],
  ...[commandFailed, agentUpdateFailed],
  ...[maintenanceStarted, maintenanceEnded, maintenanceNotReturned],
  ...alertEvents,
  ...[channelFailed, systemAlive],
  monitorChangedEvent,
  ...policyEvents,
  ...[deploymentHalted, deploymentCompleted],
]
