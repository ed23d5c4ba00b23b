// Every operation's example, in the shape of contract.ts: an operation without one does not compile.
import { reviewsExamples } from './access-reviews/reviews.examples.ts'
import { distributionExamples, versionsExamples } from './agent-versions/agent-versions.examples.ts'
import { apiKeysExamples } from './api-keys/keys.examples.ts'
import { exportsExamples, logsExamples, reportsExamples } from './audit/audit.examples.ts'
import {
  mfaExamples,
  passkeysExamples,
  passwordExamples,
  phoneExamples,
  registrationExamples,
  sessionExamples,
  sessionsExamples,
} from './auth/auth.examples.ts'
import type { Contract } from './contract.ts'
import { customFieldsExamples } from './custom-fields/custom-fields.examples.ts'
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
} from './devices/devices.examples.ts'
import { agentsExamples, codesExamples, keysExamples, provisionExamples } from './enrollment/enrollment.examples.ts'
import type { ExamplesOf } from './examples.ts'
import { filtersExamples } from './filters/filters.examples.ts'
import { groupsExamples, membersExamples } from './groups/groups.examples.ts'
import { healthExamples } from './health/health.examples.ts'
import { lifecycleExamples } from './lifecycle/lifecycle.examples.ts'
import { mailsExamples } from './mail/mails.examples.ts'
import { deadLettersExamples, jobsExamples } from './queues/queues.examples.ts'
import { permissionsExamples, rolesExamples } from './roles/roles.examples.ts'
import { pinsExamples, rolloutsExamples, stopExamples, updatesExamples } from './rollouts/rollouts.examples.ts'
import { discoveryExamples, scimGroupsExamples, scimUsersExamples } from './scim/scim.examples.ts'
import { searchExamples } from './search/search.examples.ts'
import { flowExamples, providersExamples, scimTokensExamples } from './sso/sso.examples.ts'
import {
  eventLogsExamples,
  filesExamples,
  processesExamples,
  registryExamples,
  servicesExamples,
  tasksExamples,
} from './system-tools/system-tools.examples.ts'
import { dashboardExamples } from './tenancy/dashboard.examples.ts'
import { organizationsExamples } from './tenancy/organizations.examples.ts'
import { partnersExamples } from './tenancy/partners.examples.ts'
import { sitesExamples } from './tenancy/sites.examples.ts'
import { invitationsExamples, profileExamples, protectionExamples, usersExamples } from './users/users.examples.ts'

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
