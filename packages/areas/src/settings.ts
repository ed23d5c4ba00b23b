// The settings that areas declare, one line each. Processes read them when they start.
import { z } from 'zod'
import * as auth from './access/auth/area.settings.ts'
import * as sso from './access/sso/area.settings.ts'
import type { BackgroundSettings } from './background/worker-parts.ts'
import * as agentVersions from './control/agent-versions/area.settings.ts'
import * as commands from './control/commands/area.settings.ts'
import * as devices from './fleet/devices/area.settings.ts'
import * as deliveries from './platform/deliveries/area.settings.ts'
import * as files from './platform/files/area.settings.ts'
import * as mail from './platform/mail/area.settings.ts'
import * as queues from './platform/queues/area.settings.ts'

/** Environment variables of admin, each with its schema. */
export const areaEnvironment = {
  ...agentVersions.environment,
  ...auth.environment,
  ...commands.environment,
  ...deliveries.environment,
  ...mail.environment,
  ...queues.environment,
  ...sso.environment,
}
const Given = z.object(areaEnvironment)

export const areaSettings = (given: z.output<typeof Given>) => ({
  ...agentVersions.settingsOf(given),
  ...auth.settingsOf(given),
  ...commands.settingsOf(given),
  ...deliveries.settingsOf(given),
  ...mail.settingsOf(given),
  ...queues.settingsOf(given),
  ...sso.settingsOf(given),
})

/** Environment variables of workers, each with its schema. */
export const workerEnvironment = {
  ...agentVersions.workerEnvironment,
  ...commands.environment,
  ...deliveries.workerEnvironment,
  ...devices.workerEnvironment,
  ...files.workerEnvironment,
  ...mail.workerEnvironment,
}
const GivenToWorker = z.object(workerEnvironment)

export const backgroundSettings = (given: z.output<typeof GivenToWorker>): Omit<BackgroundSettings, 'publicUrl'> => ({
  ...agentVersions.workerSettingsOf(given),
  ...commands.settingsOf(given),
  ...deliveries.workerSettingsOf(given),
  ...devices.workerSettingsOf(given),
  ...files.workerSettingsOf(given),
  ...mail.workerSettingsOf(given),
})
