// Every declared operation: areas of resources of verbs. The console and both doors read this; it loads no server code.

import { reviews } from './access-reviews/reviews.contract.ts'
import { distribution } from './agent-versions/distribution.contract.ts'
import { versions } from './agent-versions/versions.contract.ts'
import { keys as apiKeys } from './api-keys/keys.contract.ts'
import { exports } from './audit/exports.contract.ts'
import { logs } from './audit/logs.contract.ts'
import { reports } from './audit/reports.contract.ts'
import { mfa } from './auth/mfa.contract.ts'
import { passkeys } from './auth/passkeys.contract.ts'
import { password } from './auth/password.contract.ts'
import { phone } from './auth/phone.contract.ts'
import { registration } from './auth/registration.contract.ts'
import { session } from './auth/session.contract.ts'
import { sessions } from './auth/sessions.contract.ts'
import { customFields } from './custom-fields/custom-fields.contract.ts'
import { approvals } from './devices/approvals.contract.ts'
import { autoUpdate } from './devices/auto-update.contract.ts'
import { stops } from './devices/command-stops.contract.ts'
import { commands } from './devices/commands.contract.ts'
import { devices } from './devices/devices.contract.ts'
import { live } from './devices/live.contract.ts'
import { inventory, output } from './devices/output.contract.ts'
import { tags } from './devices/tags.contract.ts'
import { agents } from './enrollment/agents.contract.ts'
import { codes } from './enrollment/codes.contract.ts'
import { keys } from './enrollment/keys.contract.ts'
import { provision } from './enrollment/provision.contract.ts'
import { filters } from './filters/filters.contract.ts'
import { groups, members } from './groups/groups.contract.ts'
import { health } from './health/health.contract.ts'
import { lifecycle } from './lifecycle/lifecycle.contract.ts'
import { mails } from './mail/mails.contract.ts'
import { deadLetters } from './queues/dead-letters.contract.ts'
import { jobs } from './queues/jobs.contract.ts'
import { permissions } from './roles/permissions.contract.ts'
import { roles } from './roles/roles.contract.ts'
import { pins } from './rollouts/pins.contract.ts'
import { rollouts, stop } from './rollouts/rollouts.contract.ts'
import { updates } from './rollouts/updates.contract.ts'
import { discovery, groups as scimGroups, users as scimUsers } from './scim/scim.contract.ts'
import { search } from './search/search.contract.ts'
import { flow } from './sso/flow.contract.ts'
import { providers, scimTokens } from './sso/providers.contract.ts'
import { eventLogs } from './system-tools/event-logs.contract.ts'
import { files } from './system-tools/files.contract.ts'
import { processes } from './system-tools/processes.contract.ts'
import { registry } from './system-tools/registry.contract.ts'
import { services } from './system-tools/services.contract.ts'
import { tasks } from './system-tools/tasks.contract.ts'
import { dashboard } from './tenancy/dashboard.contract.ts'
import { organizations } from './tenancy/organizations.contract.ts'
import { partners } from './tenancy/partners.contract.ts'
import { sites } from './tenancy/sites.contract.ts'
import { invitations } from './users/invitations.contract.ts'
import { profile } from './users/profile.contract.ts'
import { protection } from './users/protection.contract.ts'
import { users } from './users/users.contract.ts'

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
