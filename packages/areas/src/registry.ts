// Every operation with its handler. The shape must be that of contract.ts: a resource without handlers does not compile.
import type { Db } from '@muster/db/database.ts'
import { type Implementation, operationsOf } from '@muster/kit/call.ts'
import reviews from './access-reviews/reviews.ts'
import distribution from './agent-versions/distribution.ts'
import versions from './agent-versions/versions.ts'
import apiKeys from './api-keys/keys.ts'
import exports from './audit/exports.ts'
import logs from './audit/logs.ts'
import reports from './audit/reports.ts'
import mfa from './auth/mfa.ts'
import passkeys from './auth/passkeys.ts'
import password from './auth/password.ts'
import phone from './auth/phone.ts'
import registration from './auth/registration.ts'
import session from './auth/session.ts'
import sessions from './auth/sessions.ts'
import type { Contract } from './contract.ts'
import customFields from './custom-fields/custom-fields.ts'
import approvals from './devices/approvals.ts'
import autoUpdate from './devices/auto-update.ts'
import stops from './devices/command-stops.ts'
import commands from './devices/commands.ts'
import devices from './devices/devices.ts'
import inventory from './devices/inventory.ts'
import live from './devices/live.ts'
import output from './devices/output.ts'
import tags from './devices/tags.ts'
import agents from './enrollment/agents.ts'
import codes from './enrollment/codes.ts'
import keys from './enrollment/keys.ts'
import provision from './enrollment/provision.ts'
import filters from './filters/filters.ts'
import groups from './groups/groups.ts'
import members from './groups/members.ts'
import health from './health/health.ts'
import lifecycle from './lifecycle/lifecycle.ts'
import mails from './mail/mails.ts'
import type { Operation } from './operation.ts'
import deadLetters from './queues/dead-letters.ts'
import jobs from './queues/jobs.ts'
import permissions from './roles/permissions.ts'
import roles from './roles/roles.ts'
import pins from './rollouts/pins.ts'
import rollouts from './rollouts/rollouts.ts'
import stop from './rollouts/stop.ts'
import updates from './rollouts/updates.ts'
import scimDiscovery from './scim/discovery.ts'
import scimGroups from './scim/groups.ts'
import scimUsers from './scim/users.ts'
import search from './search/search.ts'
import type { Services } from './services.ts'
import flow from './sso/flow.ts'
import providers from './sso/providers.ts'
import scimTokens from './sso/scim-tokens.ts'
import eventLogs from './system-tools/event-logs.ts'
import files from './system-tools/files.ts'
import processes from './system-tools/processes.ts'
import registry from './system-tools/registry.ts'
import services from './system-tools/services.ts'
import tasks from './system-tools/tasks.ts'
import dashboard from './tenancy/dashboard.ts'
import organizations from './tenancy/organizations.ts'
import partners from './tenancy/partners.ts'
import sites from './tenancy/sites.ts'
import invitations from './users/invitations.ts'
import profile from './users/profile.ts'
import protection from './users/protection.ts'
import users from './users/users.ts'

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
