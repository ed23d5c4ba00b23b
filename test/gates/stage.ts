// The stage of every area, one line each. An id that no area creates does not compile.
import { randomBytes } from 'node:crypto'
import accessReviews from '@muster/areas/access/access-reviews/area.stage.ts'
import apiKeys from '@muster/areas/access/api-keys/area.stage.ts'
import auth from '@muster/areas/access/auth/area.stage.ts'
import roles from '@muster/areas/access/roles/area.stage.ts'
import sso from '@muster/areas/access/sso/area.stage.ts'
import users from '@muster/areas/access/users/area.stage.ts'
import commands from '@muster/areas/control/commands/area.stage.ts'
import rollouts from '@muster/areas/control/rollouts/area.stage.ts'
import type { Stage } from '@muster/areas/examples.ts'
import customFields from '@muster/areas/fleet/custom-fields/area.stage.ts'
import devices from '@muster/areas/fleet/devices/area.stage.ts'
import enrollment from '@muster/areas/fleet/enrollment/area.stage.ts'
import filters from '@muster/areas/fleet/filters/area.stage.ts'
import groups from '@muster/areas/fleet/groups/area.stage.ts'
import audit from '@muster/areas/platform/audit/area.stage.ts'
import mail from '@muster/areas/platform/mail/area.stage.ts'
import tenancy from '@muster/areas/tenancy/tenancy/area.stage.ts'
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
    ...(await rollouts(setting)),
    ...(await audit(setting)),
    ...(await mail(setting)),
    ...(await accessReviews(setting)),
  }
  return { ...setting, stage }
}
