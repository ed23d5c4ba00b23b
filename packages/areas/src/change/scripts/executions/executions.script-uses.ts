import { always, isOneOf } from '@muster/db/conditions.ts'
import { scriptUse, shownUses } from '../../../background/script-use.ts'
import { openStatuses } from '../../../control/commands/commands.rules.ts'
import { visibleDevices } from '../../../fleet/devices/index.ts'

/** Runs that have not ended. */
export const openExecutions = scriptUse({
  kind: 'execution',
  find(db, script, caller) {
    return db
      .selectFrom('scriptExecutions as run')
      .innerJoin('deviceCommands as command', 'command.id', 'run.commandId')
      .innerJoin('devices', 'devices.id', 'run.deviceId')
      .where(caller === null ? always : visibleDevices(caller))
      .where('run.scriptId', '=', script.id)
      .where(isOneOf('command.status', openStatuses))
      .select(['run.id', 'devices.hostname as name'])
      .orderBy('run.createdAt')
      .limit(shownUses)
      .execute()
  },
})
