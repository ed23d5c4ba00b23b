// What workers do for every area, one line each.
import accessReviews from './access/access-reviews/area.background.ts'
import auth from './access/auth/area.background.ts'
import agentVersions from './control/agent-versions/area.background.ts'
import commands from './control/commands/area.background.ts'
import lifecycle from './control/lifecycle/area.background.ts'
import rollouts from './control/rollouts/area.background.ts'
import devices from './fleet/devices/area.background.ts'
import groups from './fleet/groups/area.background.ts'
import type { Job } from './job.ts'
import audit from './platform/audit/area.background.ts'
import files from './platform/files/area.background.ts'
import mail from './platform/mail/area.background.ts'
import { idempotentRequests } from './repeats.ts'

const areas = [accessReviews, auth, agentVersions, commands, lifecycle, rollouts, devices, groups, audit, files, mail]

export const jobs: readonly Job[] = [idempotentRequests, ...areas.flatMap((area) => area.jobs)]
