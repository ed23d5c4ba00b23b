// The stage of every area, one line each. An id that no area creates does not compile.
import { randomBytes } from 'node:crypto'
import accessReviews from '@muster/areas/access/access-reviews/area.stage.ts'
import apiKeys from '@muster/areas/access/api-keys/area.stage.ts'
import auth from '@muster/areas/access/auth/area.stage.ts'
import roles from '@muster/areas/access/roles/area.stage.ts'
import sso from '@muster/areas/access/sso/area.stage.ts'
import users from '@muster/areas/access/users/area.stage.ts'
import automations from '@muster/areas/change/automations/area.stage.ts'
import deployments from '@muster/areas/change/deployments/area.stage.ts'
import devicePolicies from '@muster/areas/change/device-policies/area.stage.ts'
import scriptLibrary from '@muster/areas/change/script-library/area.stage.ts'
import scripts from '@muster/areas/change/scripts/area.stage.ts'
import commands from '@muster/areas/control/commands/area.stage.ts'
import maintenance from '@muster/areas/control/maintenance/area.stage.ts'
import rollouts from '@muster/areas/control/rollouts/area.stage.ts'
import secrets from '@muster/areas/control/secrets/area.stage.ts'
import type { Stage } from '@muster/areas/examples.ts'
import customFields from '@muster/areas/fleet/custom-fields/area.stage.ts'
import devices from '@muster/areas/fleet/devices/area.stage.ts'
import enrollment from '@muster/areas/fleet/enrollment/area.stage.ts'
import filters from '@muster/areas/fleet/filters/area.stage.ts'
import groups from '@muster/areas/fleet/groups/area.stage.ts'
import audit from '@muster/areas/platform/audit/area.stage.ts'
import mail from '@muster/areas/platform/mail/area.stage.ts'
import tenancy from '@muster/areas/tenancy/tenancy/area.stage.ts'
import alerts from '@muster/areas/watch/alerts/area.stage.ts'
import alertChannels from '@muster/areas/watch/channels/area.stage.ts'
import monitors from '@muster/areas/watch/monitors/area.stage.ts'
import notifications from '@muster/areas/watch/notifications/area.stage.ts'
import alertPolicies from '@muster/areas/watch/policies/area.stage.ts'
import alertTemplates from '@muster/areas/watch/templates/area.stage.ts'
import webhooks from '@muster/areas/watch/webhooks/area.stage.ts'
import type { Marks, Setting } from '@muster/testkit/stage.ts'
import { type World, world } from '@muster/testkit/world.ts'

export interface StageWorld {
  readonly world: World
  readonly stage: Stage
  readonly marks: Marks
}

const fresh = () => randomBytes(6).toString('hex')

/** Creates a new partner with one thing of each kind. */
export async function buildStage(): Promise<StageWorld> {
  const marks = { partner: `p${fresh()}`, organization: `o${fresh()}`, site: `s${fresh()}`, device: `d${fresh()}` }
  const setting: Setting = { world: await world(), marks }
  const stage: Stage = {
    fresh,
    ...(await tenancy(setting)),
    ...(await roles(setting)),
    ...(await users(setting)),
    ...(await auth(setting)),
    ...(await apiKeys(setting)),
    ...(await sso(setting)),
    ...(await devices(setting)),
    ...(await groups(setting)),
    ...(await customFields(setting)),
    ...(await filters(setting)),
    ...(await enrollment(setting)),
    ...(await commands(setting)),
    ...(await maintenance(setting)),
    ...(await rollouts(setting)),
    ...(await audit(setting)),
    ...(await mail(setting)),
    ...(await accessReviews(setting)),
    ...(await alerts(setting)),
    ...(await alertPolicies(setting)),
    ...(await alertTemplates(setting)),
    ...(await alertChannels(setting)),
    ...(await notifications(setting)),
    ...(await webhooks(setting)),
    ...(await monitors(setting)),
    ...(await automations(setting)),
    ...(await scripts(setting)),
    ...(await secrets(setting)),
    ...(await scriptLibrary(setting)),
    ...(await devicePolicies(setting)),
    ...(await deployments(setting)),
  }
  return { ...setting, stage }
}
