// Every declared operation: areas of resources of verbs. The console and both doors read this; it loads no server code.
import accessReviews from './access/access-reviews/area.contract.ts'
import apiKeys from './access/api-keys/area.contract.ts'
import auth from './access/auth/area.contract.ts'
import roles from './access/roles/area.contract.ts'
import scim from './access/scim/area.contract.ts'
import sso from './access/sso/area.contract.ts'
import users from './access/users/area.contract.ts'
import agentVersions from './control/agent-versions/area.contract.ts'
import commands from './control/commands/area.contract.ts'
import lifecycle from './control/lifecycle/area.contract.ts'
import live from './control/live/area.contract.ts'
import rollouts from './control/rollouts/area.contract.ts'
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

export const contract = {
  apiKeys,
  accessReviews,
  agentVersions,
  audit,
  auth,
  customFields,
  devices: { ...devices, ...commands, ...live },
  enrollment,
  filters,
  groups,
  health,
  mail,
  lifecycle,
  queues,
  roles,
  rollouts,
  scim,
  search,
  sso,
  systemTools,
  tenancy,
  users,
}
export type Contract = typeof contract
