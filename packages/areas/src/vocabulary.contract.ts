// The words that areas give to the vocabulary of operations: permissions and audit actions. A misspelled one does not compile.
import type * as accessReviews from './access/access-reviews/vocabulary.contract.ts'
import type * as apiKeys from './access/api-keys/vocabulary.contract.ts'
import type * as auth from './access/auth/vocabulary.contract.ts'
import * as roles from './access/roles/vocabulary.contract.ts'
import type * as scim from './access/scim/vocabulary.contract.ts'
import type * as sso from './access/sso/vocabulary.contract.ts'
import * as users from './access/users/vocabulary.contract.ts'
import type * as agentVersions from './control/agent-versions/vocabulary.contract.ts'
import type * as commands from './control/commands/vocabulary.contract.ts'
import type * as lifecycle from './control/lifecycle/vocabulary.contract.ts'
import type * as rollouts from './control/rollouts/vocabulary.contract.ts'
import type * as systemTools from './control/system-tools/vocabulary.contract.ts'
import type * as customFields from './fleet/custom-fields/vocabulary.contract.ts'
import * as devices from './fleet/devices/vocabulary.contract.ts'
import type * as enrollment from './fleet/enrollment/vocabulary.contract.ts'
import type * as filters from './fleet/filters/vocabulary.contract.ts'
import type * as groups from './fleet/groups/vocabulary.contract.ts'
import * as audit from './platform/audit/vocabulary.contract.ts'
import type * as mail from './platform/mail/vocabulary.contract.ts'
import type * as queues from './platform/queues/vocabulary.contract.ts'
import * as tenancy from './tenancy/tenancy/vocabulary.contract.ts'

/** The permissions that roles can be given, each with the sentence that the role editor shows. */
export const permissionCatalog = {
  ...devices.permissions,
  ...roles.permissions,
  ...users.permissions,
  ...tenancy.permissions,
  ...audit.permissions,
  '*:*': 'Everything',
} as const

type Declared =
  | typeof accessReviews.actions
  | typeof apiKeys.actions
  | typeof auth.actions
  | typeof roles.actions
  | typeof scim.actions
  | typeof sso.actions
  | typeof users.actions
  | typeof agentVersions.actions
  | typeof commands.actions
  | typeof lifecycle.actions
  | typeof rollouts.actions
  | typeof systemTools.actions
  | typeof customFields.actions
  | typeof devices.actions
  | typeof enrollment.actions
  | typeof filters.actions
  | typeof groups.actions
  | typeof audit.actions
  | typeof mail.actions
  | typeof queues.actions
  | typeof tenancy.actions

export const isPermission = (text: string): text is keyof typeof permissionCatalog =>
  Object.hasOwn(permissionCatalog, text)

declare module '@muster/kit/vocabulary.ts' {
  interface Vocabulary {
    permission: keyof typeof permissionCatalog
    auditAction: Declared[number]
  }
}
