// What workers do for every area, one line each.
import accessReviews from './access/access-reviews/area.background.ts'
import auth from './access/auth/area.background.ts'
import type { Background } from './background/background.ts'
import agentVersions from './control/agent-versions/area.background.ts'
import commands from './control/commands/area.background.ts'
import lifecycle from './control/lifecycle/area.background.ts'
import rollouts from './control/rollouts/area.background.ts'
import customFields from './fleet/custom-fields/area.background.ts'
import devices from './fleet/devices/area.background.ts'
import groups from './fleet/groups/area.background.ts'
import audit from './platform/audit/area.background.ts'
import files from './platform/files/area.background.ts'
import mail from './platform/mail/area.background.ts'
import { idempotentRequests } from './repeats.ts'

// Records are stored in this order. Those that lock a row of device_state come before those that lock one of devices,
// as in requests, so that a worker and a request rarely deadlock.
const areas: readonly Background[] = [
  rollouts,
  devices,
  commands,
  customFields,
  lifecycle,
  accessReviews,
  agentVersions,
  audit,
  auth,
  files,
  groups,
  mail,
  { jobs: [idempotentRequests] },
]

export const jobs = areas.flatMap((area) => area.jobs ?? [])
export const records = areas.flatMap((area) => area.records ?? [])
export const outcomes = areas.flatMap((area) => area.outcomes ?? [])
export const arrivals = areas.flatMap((area) => area.arrivals ?? [])
export const counters = areas.flatMap((area) => area.counters ?? [])
