import { Power } from '@muster/wire/commands/power.ts'
import type { Log } from '../log.ts'
import type { PowerAction, PowerTools } from '../platform/tools.ts'
import { type CommandKind, defineCommand } from './command.ts'

/** Restarts or shuts down the machine after a delay in which the result reaches the server. */
export function power(action: PowerAction, tools: PowerTools, log: Log): CommandKind {
  return defineCommand(Power, async ({ delaySeconds, message, dryRun }) => {
    const command = await tools.command(action, message)
    if (!dryRun) {
      log.warn(`${action} in ${delaySeconds} s: ${command.join(' ')}`)
      setTimeout(() => {
        tools.run(command).catch((error: unknown) => log.error(`${action} failed: ${error}`))
      }, delaySeconds * 1000)
    }
    return { status: 'completed', result: { action, delaySeconds, dryRun, command: command.join(' ') } }
  })
}
