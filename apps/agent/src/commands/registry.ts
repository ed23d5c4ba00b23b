import type { Checkers } from '../checks/check.ts'
import type { InventoryReporter } from '../inventory-reporter.ts'
import type { Log } from '../log.ts'
import type { ScriptGrants } from '../orders/script-grants.ts'
import type { ScriptSecrets } from '../orders/script-secrets.ts'
import type { Platform } from '../platform/platform.ts'
import type { Tools } from '../platform/tools.ts'
import type { Settings } from '../settings.ts'
import type { CommandKind } from './command.ts'
import { power } from './power.ts'
import { refreshInventory } from './refresh-inventory.ts'
import { runCheck } from './run-check.ts'
import { runScript } from './run-script.ts'
import { setAutoUpdate } from './set-auto-update.ts'
import { toolCommands } from './tools.ts'

export interface CommandSurroundings {
  platform: Platform
  reporter: InventoryReporter
  settings: Settings
  scriptsDirectory: string
  tools: Tools
  checkers: Checkers
  grants: ScriptGrants
  secrets: ScriptSecrets
  log: Log
}

/** All commands of this agent, by their type on the wire. */
export function createRegistry(around: CommandSurroundings): ReadonlyMap<string, CommandKind> {
  return new Map<string, CommandKind>([
    ['refresh_inventory', refreshInventory(around.reporter)],
    ['run_script', runScript(around.platform, around.scriptsDirectory, around.grants, around.secrets)],
    ['set_auto_update', setAutoUpdate(around.settings)],
    ['reboot', power('reboot', around.tools.power, around.log)],
    ['shutdown', power('shutdown', around.tools.power, around.log)],
    ['run_check', runCheck(around.checkers)],
    ...toolCommands(around.tools),
  ])
}
