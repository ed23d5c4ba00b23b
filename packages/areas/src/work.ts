// What workers do for every area, one line each.
import accessReviews from './access/access-reviews/area.background.ts'
import auth from './access/auth/area.background.ts'
import type { Background } from './background/background.ts'
import automations from './change/automations/area.background.ts'
import deployments from './change/deployments/area.background.ts'
import devicePolicies from './change/device-policies/area.background.ts'
import scripts from './change/scripts/area.background.ts'
import agentVersions from './control/agent-versions/area.background.ts'
import assignments from './control/assignments/area.background.ts'
import commands from './control/commands/area.background.ts'
import facts from './control/facts/area.background.ts'
import lifecycle from './control/lifecycle/area.background.ts'
import maintenance from './control/maintenance/area.background.ts'
import rollouts from './control/rollouts/area.background.ts'
import customFields from './fleet/custom-fields/area.background.ts'
import devices from './fleet/devices/area.background.ts'
import groups from './fleet/groups/area.background.ts'
import targets from './fleet/targets/area.background.ts'
import audit from './platform/audit/area.background.ts'
import deliveries from './platform/deliveries/area.background.ts'
import events from './platform/events/area.background.ts'
import files from './platform/files/area.background.ts'
import mail from './platform/mail/area.background.ts'
import { idempotentRequests } from './repeats.ts'
import alerts from './watch/alerts/area.background.ts'
import alertChannels from './watch/channels/area.background.ts'
import monitors from './watch/monitors/area.background.ts'
import notifications from './watch/notifications/area.background.ts'
import alertPolicies from './watch/policies/area.background.ts'
import webhooks from './watch/webhooks/area.background.ts'

// Records are stored in this order. Those that lock a row of device_state come before those that lock one of devices,
// as in requests, so that a worker and a request rarely deadlock.
const areas: readonly Background[] = [
  rollouts,
  devices,
  commands,
  customFields,
  lifecycle,
  assignments,
  facts,
  accessReviews,
  agentVersions,
  alertPolicies,
  alerts,
  audit,
  auth,
  events,
  deliveries,
  files,
  mail,
  maintenance,
  monitors,
  groups,
  targets,
  alertChannels,
  notifications,
  webhooks,
  scripts,
  automations,
  devicePolicies,
  deployments,
  { jobs: [idempotentRequests] },
]

export const jobs = areas.flatMap((area) => area.jobs ?? [])
export const records = areas.flatMap((area) => area.records ?? [])
export const outcomes = areas.flatMap((area) => area.outcomes ?? [])
export const observers = areas.flatMap((area) => area.observers ?? [])
export const changeFollowers = areas.flatMap((area) => area.changeFollowers ?? [])
export const arrivals = areas.flatMap((area) => area.arrivals ?? [])
export const followers = areas.flatMap((area) => area.followers ?? [])
export const evaluators = areas.flatMap((area) => area.evaluators ?? [])
export const counters = areas.flatMap((area) => area.counters ?? [])
export const deploymentKinds = areas.flatMap((area) => area.deploymentKinds ?? [])
export const deliveryKinds = areas.flatMap((area) => area.deliveryKinds ?? [])
export const planKinds = areas.flatMap((area) => area.planKinds ?? [])
export const scriptUses = areas.flatMap((area) => area.scriptUses ?? [])
export const gauges = areas.flatMap((area) => area.gauges ?? [])
