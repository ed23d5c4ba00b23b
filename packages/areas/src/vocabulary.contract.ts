// The words that areas give to the vocabulary of operations: permissions, audit actions, kinds of callers, error codes. A misspelled one does not compile.
import * as accessReviews from './access/access-reviews/vocabulary.contract.ts'
import * as apiKeys from './access/api-keys/vocabulary.contract.ts'
import * as auth from './access/auth/vocabulary.contract.ts'
import * as roles from './access/roles/vocabulary.contract.ts'
import * as scim from './access/scim/vocabulary.contract.ts'
import * as sso from './access/sso/vocabulary.contract.ts'
import * as users from './access/users/vocabulary.contract.ts'
import * as automations from './change/automations/vocabulary.contract.ts'
import * as deployments from './change/deployments/vocabulary.contract.ts'
import * as devicePolicies from './change/device-policies/vocabulary.contract.ts'
import * as scriptLibrary from './change/script-library/vocabulary.contract.ts'
import * as scripts from './change/scripts/vocabulary.contract.ts'
import * as agentVersions from './control/agent-versions/vocabulary.contract.ts'
import * as commands from './control/commands/vocabulary.contract.ts'
import * as lifecycle from './control/lifecycle/vocabulary.contract.ts'
import * as maintenance from './control/maintenance/vocabulary.contract.ts'
import * as rollouts from './control/rollouts/vocabulary.contract.ts'
import * as secrets from './control/secrets/vocabulary.contract.ts'
import * as systemTools from './control/system-tools/vocabulary.contract.ts'
import * as customFields from './fleet/custom-fields/vocabulary.contract.ts'
import * as devices from './fleet/devices/vocabulary.contract.ts'
import * as enrollment from './fleet/enrollment/vocabulary.contract.ts'
import * as filters from './fleet/filters/vocabulary.contract.ts'
import * as groups from './fleet/groups/vocabulary.contract.ts'
import * as audit from './platform/audit/vocabulary.contract.ts'
import * as mail from './platform/mail/vocabulary.contract.ts'
import * as queues from './platform/queues/vocabulary.contract.ts'
import * as tenancy from './tenancy/tenancy/vocabulary.contract.ts'
import * as alerts from './watch/alerts/vocabulary.contract.ts'
import * as alertChannels from './watch/channels/vocabulary.contract.ts'
import * as monitors from './watch/monitors/vocabulary.contract.ts'
import * as policies from './watch/policies/vocabulary.contract.ts'
import * as templates from './watch/templates/vocabulary.contract.ts'
import * as webhooks from './watch/webhooks/vocabulary.contract.ts'

/** The permissions that roles can be given, each with the sentence that the role editor shows. */
export const permissionCatalog = {
  ...devices.permissions,
  ...roles.permissions,
  ...users.permissions,
  ...tenancy.permissions,
  ...audit.permissions,
  '*:*': 'Everything',
} as const

/** The actions that audit records can name. */
export const auditActions = [
  ...accessReviews.actions,
  ...apiKeys.actions,
  ...auth.actions,
  ...roles.actions,
  ...scim.actions,
  ...sso.actions,
  ...users.actions,
  ...agentVersions.actions,
  ...commands.actions,
  ...lifecycle.actions,
  ...maintenance.actions,
  ...rollouts.actions,
  ...secrets.actions,
  ...systemTools.actions,
  ...customFields.actions,
  ...devices.actions,
  ...enrollment.actions,
  ...filters.actions,
  ...groups.actions,
  ...audit.actions,
  ...mail.actions,
  ...queues.actions,
  ...tenancy.actions,
  ...alerts.actions,
  ...policies.actions,
  ...templates.actions,
  ...alertChannels.actions,
  ...webhooks.actions,
  ...monitors.actions,
  ...scripts.actions,
  ...automations.actions,
  ...scriptLibrary.actions,
  ...devicePolicies.actions,
  ...deployments.actions,
] as const

/** The kinds of callers beside people in a session. */
const callerKinds = [...apiKeys.callerKinds] as const

export const isPermission = (text: string): text is keyof typeof permissionCatalog =>
  Object.hasOwn(permissionCatalog, text)

declare module '@muster/kit/vocabulary.ts' {
  interface Vocabulary {
    permission: keyof typeof permissionCatalog
    auditAction: (typeof auditActions)[number]
    callerKind: (typeof callerKinds)[number]
    errorCode: keyof typeof auth.errors | keyof typeof commands.errors | keyof typeof monitors.errors
  }
}
