// Every declared operation: areas of resources of verbs. The console and both doors read this; it loads no server code.
import accessReviews from './access/access-reviews/area.contract.ts'
import apiKeys from './access/api-keys/area.contract.ts'
import auth from './access/auth/area.contract.ts'
import roles from './access/roles/area.contract.ts'
import scim from './access/scim/area.contract.ts'
import sso from './access/sso/area.contract.ts'
import users from './access/users/area.contract.ts'
import automations from './change/automations/area.contract.ts'
import deployments from './change/deployments/area.contract.ts'
import policies from './change/device-policies/area.contract.ts'
import scriptLibrary from './change/script-library/area.contract.ts'
import scripts from './change/scripts/area.contract.ts'
import agentVersions from './control/agent-versions/area.contract.ts'
import commands from './control/commands/area.contract.ts'
import lifecycle from './control/lifecycle/area.contract.ts'
import live from './control/live/area.contract.ts'
import maintenance from './control/maintenance/area.contract.ts'
import rollouts from './control/rollouts/area.contract.ts'
import secrets from './control/secrets/area.contract.ts'
import systemTools from './control/system-tools/area.contract.ts'
import customFields from './fleet/custom-fields/area.contract.ts'
import devices from './fleet/devices/area.contract.ts'
import enrollment from './fleet/enrollment/area.contract.ts'
import filters from './fleet/filters/area.contract.ts'
import groups from './fleet/groups/area.contract.ts'
import search from './insight/search/area.contract.ts'
import audit from './platform/audit/area.contract.ts'
import health from './platform/health/area.contract.ts'
import mail from './platform/mail/area.contract.ts'
import queues from './platform/queues/area.contract.ts'
import tenancy from './tenancy/tenancy/area.contract.ts'
import alerts from './watch/alerts/area.contract.ts'
import alertChannels from './watch/channels/area.contract.ts'
import monitors from './watch/monitors/area.contract.ts'
import notifications from './watch/notifications/area.contract.ts'
import alertPolicies from './watch/policies/area.contract.ts'
import alertTemplates from './watch/templates/area.contract.ts'
import webhooks from './watch/webhooks/area.contract.ts'

export const contract = {
  apiKeys,
  accessReviews,
  agentVersions,
  alertPolicies,
  alertChannels,
  alerts,
  alertTemplates,
  audit,
  auth,
  automations,
  customFields,
  deployments,
  devices: { ...devices, ...commands, ...live },
  enrollment,
  filters,
  groups,
  health,
  mail,
  maintenance,
  lifecycle,
  notifications,
  monitors,
  policies,
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
}
export type Contract = typeof contract
