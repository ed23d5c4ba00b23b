import { SetAutoUpdate } from '@muster/wire/commands/agent.ts'
import type { Settings } from '../settings.ts'
import { type CommandKind, defineCommand } from './command.ts'

/** Turns automatic updates on or off; the setting survives restarts. */
export function setAutoUpdate(settings: Settings): CommandKind {
  return defineCommand(SetAutoUpdate, async ({ enabled }) => {
    await settings.change({ autoUpdate: enabled })
    return { status: 'completed', result: { enabled } }
  })
}
