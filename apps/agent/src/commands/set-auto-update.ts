import { SetAutoUpdate } from '@muster/wire/commands/agent.ts'
import type { Settings } from '../settings.ts'
import { type CommandKind, defineCommand } from './command.ts'

/** Turns self-update on or off; the agent keeps it across restarts. */
export function setAutoUpdate(settings: Settings): CommandKind {
  return defineCommand(SetAutoUpdate, async ({ enabled }) => {
    await settings.change({ autoUpdate: enabled })
    return { status: 'completed', result: { enabled } }
  })
}
