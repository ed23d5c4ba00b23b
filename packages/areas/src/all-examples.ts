// Every operation's example, in the shape of contract.ts: an operation without one does not compile.
import { reviewsExamples } from './access/access-reviews/reviews.examples.ts'
import { apiKeysExamples } from './access/api-keys/keys.examples.ts'
import {
  mfaExamples,
  passkeysExamples,
  passwordExamples,
  phoneExamples,
  registrationExamples,
  sessionExamples,
  sessionsExamples,
} from './access/auth/auth.examples.ts'
import { permissionsExamples, rolesExamples } from './access/roles/roles.examples.ts'
import { discoveryExamples, scimGroupsExamples, scimUsersExamples } from './access/scim/scim.examples.ts'
import { flowExamples, providersExamples, scimTokensExamples } from './access/sso/sso.examples.ts'
import {
  invitationsExamples,
  profileExamples,
  protectionExamples,
  usersExamples,
} from './access/users/users.examples.ts'
import type { Contract } from './contract.ts'
import { distributionExamples, versionsExamples } from './control/agent-versions/agent-versions.examples.ts'
import { lifecycleExamples } from './control/lifecycle/lifecycle.examples.ts'
import { pinsExamples, rolloutsExamples, stopExamples, updatesExamples } from './control/rollouts/rollouts.examples.ts'
import {
  eventLogsExamples,
  filesExamples,
  processesExamples,
  registryExamples,
  servicesExamples,
  tasksExamples,
} from './control/system-tools/system-tools.examples.ts'
import type { ExamplesOf } from './examples.ts'
import { customFieldsExamples } from './fleet/custom-fields/custom-fields.examples.ts'
import {
  approvalsExamples,
  autoUpdateExamples,
  commandsExamples,
  devicesExamples,
  inventoryExamples,
  liveExamples,
  outputExamples,
  stopsExamples,
  tagsExamples,
} from './fleet/devices/devices.examples.ts'
import {
  agentsExamples,
  codesExamples,
  keysExamples,
  provisionExamples,
} from './fleet/enrollment/enrollment.examples.ts'
import { filtersExamples } from './fleet/filters/filters.examples.ts'
import { groupsExamples, membersExamples } from './fleet/groups/groups.examples.ts'
import { searchExamples } from './insight/search/search.examples.ts'
import { exportsExamples, logsExamples, reportsExamples } from './platform/audit/audit.examples.ts'
import { healthExamples } from './platform/health/health.examples.ts'
import { mailsExamples } from './platform/mail/mails.examples.ts'
import { deadLettersExamples, jobsExamples } from './platform/queues/queues.examples.ts'
import { dashboardExamples } from './tenancy/tenancy/dashboard.examples.ts'
import { organizationsExamples } from './tenancy/tenancy/organizations.examples.ts'
import { partnersExamples } from './tenancy/tenancy/partners.examples.ts'
import { sitesExamples } from './tenancy/tenancy/sites.examples.ts'

type Examples = {
  readonly [Area in keyof Contract]: { readonly [Name in keyof Contract[Area]]: ExamplesOf<Contract[Area][Name]> }
}

export const examples: Examples = {
  accessReviews: { reviews: reviewsExamples },
  agentVersions: { distribution: distributionExamples, versions: versionsExamples },
  apiKeys: { keys: apiKeysExamples },
  audit: { exports: exportsExamples, logs: logsExamples, reports: reportsExamples },
  auth: {
    mfa: mfaExamples,
    passkeys: passkeysExamples,
    password: passwordExamples,
    phone: phoneExamples,
    registration: registrationExamples,
    session: sessionExamples,
    sessions: sessionsExamples,
  },
  customFields: { customFields: customFieldsExamples },
  devices: {
    approvals: approvalsExamples,
    autoUpdate: autoUpdateExamples,
    commands: commandsExamples,
    devices: devicesExamples,
    inventory: inventoryExamples,
    live: liveExamples,
    output: outputExamples,
    stops: stopsExamples,
    tags: tagsExamples,
  },
  enrollment: { agents: agentsExamples, codes: codesExamples, keys: keysExamples, provision: provisionExamples },
  filters: { filters: filtersExamples },
  groups: { groups: groupsExamples, members: membersExamples },
  health: { health: healthExamples },
  lifecycle: { lifecycle: lifecycleExamples },
  mail: { mails: mailsExamples },
  queues: { deadLetters: deadLettersExamples, jobs: jobsExamples },
  roles: { permissions: permissionsExamples, roles: rolesExamples },
  rollouts: { pins: pinsExamples, rollouts: rolloutsExamples, stop: stopExamples, updates: updatesExamples },
  scim: { discovery: discoveryExamples, groups: scimGroupsExamples, users: scimUsersExamples },
  search: { search: searchExamples },
  sso: { flow: flowExamples, providers: providersExamples, scimTokens: scimTokensExamples },
  systemTools: {
    eventLogs: eventLogsExamples,
    files: filesExamples,
    processes: processesExamples,
    registry: registryExamples,
    services: servicesExamples,
    tasks: tasksExamples,
  },
  tenancy: {
    dashboard: dashboardExamples,
    organizations: organizationsExamples,
    partners: partnersExamples,
    sites: sitesExamples,
  },
  users: {
    invitations: invitationsExamples,
    profile: profileExamples,
    protection: protectionExamples,
    users: usersExamples,
  },
}
