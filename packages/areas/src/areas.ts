// Every area of the service, one line each. What it serves and how the gates try it is read off these values.

import accessReviews from './access/access-reviews/area.ts'
import apiKeys from './access/api-keys/area.ts'
import auth from './access/auth/area.ts'
import roles from './access/roles/area.ts'
import scim from './access/scim/area.ts'
import sso from './access/sso/area.ts'
import users from './access/users/area.ts'
import type { AnyArea } from './area.ts'
import automations from './change/automations/area.ts'
import deployments from './change/deployments/area.ts'
import devicePolicies from './change/device-policies/area.ts'
import scriptLibrary from './change/script-library/area.ts'
import scripts from './change/scripts/area.ts'
import agentVersions from './control/agent-versions/area.ts'
import commands from './control/commands/area.ts'
import lifecycle from './control/lifecycle/area.ts'
import live from './control/live/area.ts'
import maintenance from './control/maintenance/area.ts'
import rollouts from './control/rollouts/area.ts'
import secrets from './control/secrets/area.ts'
import systemTools from './control/system-tools/area.ts'
import customFields from './fleet/custom-fields/area.ts'
import devices from './fleet/devices/area.ts'
import enrollment from './fleet/enrollment/area.ts'
import filters from './fleet/filters/area.ts'
import groups from './fleet/groups/area.ts'
import search from './insight/search/area.ts'
import audit from './platform/audit/area.ts'
import health from './platform/health/area.ts'
import mail from './platform/mail/area.ts'
import queues from './platform/queues/area.ts'
import tenancy from './tenancy/tenancy/area.ts'
import alerts from './watch/alerts/area.ts'
import alertChannels from './watch/channels/area.ts'
import monitors from './watch/monitors/area.ts'
import notifications from './watch/notifications/area.ts'
import alertPolicies from './watch/policies/area.ts'
import alertTemplates from './watch/templates/area.ts'
import webhooks from './watch/webhooks/area.ts'

export const areas: readonly AnyArea[] = [
  accessReviews,
  agentVersions,
  alertPolicies,
  alertChannels,
  alerts,
  alertTemplates,
  apiKeys,
  audit,
  auth,
  automations,
  commands,
  customFields,
  devicePolicies,
  deployments,
  devices,
  enrollment,
  filters,
  groups,
  health,
  lifecycle,
  live,
  mail,
  maintenance,
  notifications,
  monitors,
  queues,
  roles,
  rollouts,
  scim,
  scriptLibrary,
  scripts,
  search,
  secrets,
  sso,
  systemTools,
  tenancy,
  users,
  webhooks,
]
