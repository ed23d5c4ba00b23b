// Every declared operation: areas of resources of verbs. The console and both doors read this; it loads no server code.

import { reviews } from './access/access-reviews/reviews.contract.ts'
import { keys as apiKeys } from './access/api-keys/keys.contract.ts'
import { mfa } from './access/auth/mfa.contract.ts'
import { passkeys } from './access/auth/passkeys.contract.ts'
import { password } from './access/auth/password.contract.ts'
import { phone } from './access/auth/phone.contract.ts'
import { registration } from './access/auth/registration.contract.ts'
import { session } from './access/auth/session.contract.ts'
import { sessions } from './access/auth/sessions.contract.ts'
import { permissions } from './access/roles/permissions.contract.ts'
import { roles } from './access/roles/roles.contract.ts'
import { discovery, groups as scimGroups, users as scimUsers } from './access/scim/scim.contract.ts'
import { flow } from './access/sso/flow.contract.ts'
import { providers, scimTokens } from './access/sso/providers.contract.ts'
import { invitations } from './access/users/invitations.contract.ts'
import { profile } from './access/users/profile.contract.ts'
import { protection } from './access/users/protection.contract.ts'
import { users } from './access/users/users.contract.ts'
import { distribution } from './control/agent-versions/distribution.contract.ts'
import { versions } from './control/agent-versions/versions.contract.ts'
import { lifecycle } from './control/lifecycle/lifecycle.contract.ts'
import { pins } from './control/rollouts/pins.contract.ts'
import { rollouts, stop } from './control/rollouts/rollouts.contract.ts'
import { updates } from './control/rollouts/updates.contract.ts'
import { eventLogs } from './control/system-tools/event-logs.contract.ts'
import { files } from './control/system-tools/files.contract.ts'
import { processes } from './control/system-tools/processes.contract.ts'
import { registry } from './control/system-tools/registry.contract.ts'
import { services } from './control/system-tools/services.contract.ts'
import { tasks } from './control/system-tools/tasks.contract.ts'
import { customFields } from './fleet/custom-fields/custom-fields.contract.ts'
import { approvals } from './fleet/devices/approvals.contract.ts'
import { autoUpdate } from './fleet/devices/auto-update.contract.ts'
import { stops } from './fleet/devices/command-stops.contract.ts'
import { commands } from './fleet/devices/commands.contract.ts'
import { devices } from './fleet/devices/devices.contract.ts'
import { live } from './fleet/devices/live.contract.ts'
import { inventory, output } from './fleet/devices/output.contract.ts'
import { tags } from './fleet/devices/tags.contract.ts'
import { agents } from './fleet/enrollment/agents.contract.ts'
import { codes } from './fleet/enrollment/codes.contract.ts'
import { keys } from './fleet/enrollment/keys.contract.ts'
import { provision } from './fleet/enrollment/provision.contract.ts'
import { filters } from './fleet/filters/filters.contract.ts'
import { groups, members } from './fleet/groups/groups.contract.ts'
import { search } from './insight/search/search.contract.ts'
import { exports } from './platform/audit/exports.contract.ts'
import { logs } from './platform/audit/logs.contract.ts'
import { reports } from './platform/audit/reports.contract.ts'
import { health } from './platform/health/health.contract.ts'
import { mails } from './platform/mail/mails.contract.ts'
import { deadLetters } from './platform/queues/dead-letters.contract.ts'
import { jobs } from './platform/queues/jobs.contract.ts'
import { dashboard } from './tenancy/tenancy/dashboard.contract.ts'
import { organizations } from './tenancy/tenancy/organizations.contract.ts'
import { partners } from './tenancy/tenancy/partners.contract.ts'
import { sites } from './tenancy/tenancy/sites.contract.ts'

export const contract = {
  apiKeys: { keys: apiKeys },
  accessReviews: { reviews },
  agentVersions: { distribution, versions },
  audit: { exports, logs, reports },
  auth: { session, mfa, passkeys, password, phone, registration, sessions },
  customFields: { customFields },
  devices: { approvals, autoUpdate, commands, devices, inventory, live, output, stops, tags },
  enrollment: { agents, codes, keys, provision },
  filters: { filters },
  groups: { groups, members },
  health: { health },
  mail: { mails },
  lifecycle: { lifecycle },
  queues: { deadLetters, jobs },
  roles: { permissions, roles },
  rollouts: { pins, rollouts, stop, updates },
  scim: { discovery, groups: scimGroups, users: scimUsers },
  search: { search },
  sso: { flow, providers, scimTokens },
  systemTools: { eventLogs, files, processes, registry, services, tasks },
  tenancy: { dashboard, organizations, partners, sites },
  users: { invitations, profile, protection, users },
}
export type Contract = typeof contract
