import { accessReviewsArea } from './areas/access/access-reviews/area.ts'
import { accountArea } from './areas/access/account/area.ts'
import { apiKeysArea } from './areas/access/api-keys/area.ts'
import { rolesArea } from './areas/access/roles/area.ts'
import { ssoArea } from './areas/access/sso/area.ts'
import { usersArea } from './areas/access/users/area.ts'
import { automationsArea } from './areas/change/automations/area.ts'
import { deploymentsArea } from './areas/change/deployments/area.ts'
import { configurationPoliciesArea } from './areas/change/policies/area.ts'
import { scriptsArea } from './areas/change/scripts/area.ts'
import { commandsArea } from './areas/control/commands/area.ts'
import { maintenanceArea } from './areas/control/maintenance/area.ts'
import { rolloutsArea } from './areas/control/rollouts/area.ts'
import { secretsArea } from './areas/control/secrets/area.ts'
import { systemToolsArea } from './areas/control/system-tools/area.ts'
import { customFieldsArea } from './areas/fleet/custom-fields/area.ts'
import { devicesArea } from './areas/fleet/devices/area.ts'
import { enrollmentArea } from './areas/fleet/enrollment/area.ts'
import { groupsArea } from './areas/fleet/groups/area.ts'
import { auditArea } from './areas/platform/audit/area.ts'
import { errorsArea } from './areas/platform/errors/area.ts'
import { mailArea } from './areas/platform/mail/area.ts'
import { queuesArea } from './areas/platform/queues/area.ts'
import { overviewArea } from './areas/tenancy/overview/area.ts'
import { tenancyArea } from './areas/tenancy/tenancy/area.ts'
import { alertsArea } from './areas/watch/alerts/area.ts'
import { channelsArea } from './areas/watch/channels/area.ts'
import { correlationsArea } from './areas/watch/correlations/area.ts'
import { monitorsArea } from './areas/watch/monitors/area.ts'
import { notificationsArea } from './areas/watch/notifications/area.ts'
import { policiesArea } from './areas/watch/policies/area.ts'
import { rulesArea } from './areas/watch/rules/area.ts'
import { templatesArea } from './areas/watch/templates/area.ts'
import { webhooksArea } from './areas/watch/webhooks/area.ts'

/** All areas of the console for signed-in users. A new area adds its import and one line here. */
export const areas = [
  accessReviewsArea,
  accountArea,
  apiKeysArea,
  rolesArea,
  ssoArea,
  usersArea,
  automationsArea,
  configurationPoliciesArea,
  deploymentsArea,
  commandsArea,
  maintenanceArea,
  rolloutsArea,
  secretsArea,
  systemToolsArea,
  customFieldsArea,
  devicesArea,
  enrollmentArea,
  groupsArea,
  auditArea,
  errorsArea,
  mailArea,
  queuesArea,
  overviewArea,
  tenancyArea,
  alertsArea,
  channelsArea,
  correlationsArea,
  monitorsArea,
  notificationsArea,
  policiesArea,
  rulesArea,
  templatesArea,
  webhooksArea,
  scriptsArea,
] as const
