// The settings that areas declare, one line each. Admin reads them when it starts.
import { z } from 'zod'
import * as auth from './access/auth/area.settings.ts'
import * as commands from './control/commands/area.settings.ts'
import * as mail from './platform/mail/area.settings.ts'
import * as queues from './platform/queues/area.settings.ts'

/** Environment variables, each with its schema. */
export const areaEnvironment = {
  ...auth.environment,
  ...commands.environment,
  ...mail.environment,
  ...queues.environment,
}
const Given = z.object(areaEnvironment)

export const areaSettings = (given: z.output<typeof Given>) => ({
  ...auth.settingsOf(given),
  ...commands.settingsOf(given),
  ...mail.settingsOf(given),
  ...queues.settingsOf(given),
})
