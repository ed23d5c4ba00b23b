// Every operation with its handler. The shape must be that of contract.ts: a resource without handlers does not compile.
import type { Db } from '@muster/db/database.ts'
import { type Implementation, operationsOf } from '@muster/kit/call.ts'
import reviews from './access/access-reviews/reviews.ts'
import apiKeys from './access/api-keys/keys.ts'
import mfa from './access/auth/mfa.ts'
import passkeys from './access/auth/passkeys.ts'
import password from './access/auth/password.ts'
import phone from './access/auth/phone.ts'
import registration from './access/auth/registration.ts'
import session from './access/auth/session.ts'
import sessions from './access/auth/sessions.ts'
import permissions from './access/roles/permissions.ts'
import roles from './access/roles/roles.ts'
import scimDiscovery from './access/scim/discovery.ts'
import scimGroups from './access/scim/groups.ts'
import scimUsers from './access/scim/users.ts'
import flow from './access/sso/flow.ts'
import providers from './access/sso/providers.ts'
import scimTokens from './access/sso/scim-tokens.ts'
import invitations from './access/users/invitations.ts'
import profile from './access/users/profile.ts'
import protection from './access/users/protection.ts'
import users from './access/users/users.ts'
import type { Contract } from './contract.ts'
import distribution from './control/agent-versions/distribution.ts'
import versions from './control/agent-versions/versions.ts'
import lifecycle from './control/lifecycle/lifecycle.ts'
import pins from './control/rollouts/pins.ts'
import rollouts from './control/rollouts/rollouts.ts'
import stop from './control/rollouts/stop.ts'
import updates from './control/rollouts/updates.ts'
import eventLogs from './control/system-tools/event-logs.ts'
import files from './control/system-tools/files.ts'
import processes from './control/system-tools/processes.ts'
import registry from './control/system-tools/registry.ts'
import services from './control/system-tools/services.ts'
import tasks from './control/system-tools/tasks.ts'
import customFields from './fleet/custom-fields/custom-fields.ts'
import approvals from './fleet/devices/approvals.ts'
import autoUpdate from './fleet/devices/auto-update.ts'
import stops from './fleet/devices/command-stops.ts'
import commands from './fleet/devices/commands.ts'
import devices from './fleet/devices/devices.ts'
import inventory from './fleet/devices/inventory.ts'
import live from './fleet/devices/live.ts'
import output from './fleet/devices/output.ts'
import tags from './fleet/devices/tags.ts'
import agents from './fleet/enrollment/agents.ts'
import codes from './fleet/enrollment/codes.ts'
import keys from './fleet/enrollment/keys.ts'
import provision from './fleet/enrollment/provision.ts'
import filters from './fleet/filters/filters.ts'
import groups from './fleet/groups/groups.ts'
import members from './fleet/groups/members.ts'
import search from './insight/search/search.ts'
import type { Operation } from './operation.ts'
import exports from './platform/audit/exports.ts'
import logs from './platform/audit/logs.ts'
import reports from './platform/audit/reports.ts'
import health from './platform/health/health.ts'
import mails from './platform/mail/mails.ts'
import deadLetters from './platform/queues/dead-letters.ts'
import jobs from './platform/queues/jobs.ts'
import type { Services } from './services.ts'
import dashboard from './tenancy/tenancy/dashboard.ts'
import organizations from './tenancy/tenancy/organizations.ts'
import partners from './tenancy/tenancy/partners.ts'
import sites from './tenancy/tenancy/sites.ts'

type Implemented = {
  readonly [Area in keyof Contract]: { readonly [Name in keyof Contract[Area]]: Implementation<Db, Services> }
}

const areas: Implemented = {
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
  scim: { discovery: scimDiscovery, groups: scimGroups, users: scimUsers },
  search: { search },
  sso: { flow, providers, scimTokens },
  systemTools: { eventLogs, files, processes, registry, services, tasks },
  tenancy: { dashboard, organizations, partners, sites },
  users: { invitations, profile, protection, users },
}

export const operations: readonly Operation[] = operationsOf(areas)
