import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolFailure } from '../../tool-failure.ts'
import type { PowerTools } from '../tools.ts'
import { type Host, isSystemd, runProgram } from './systemd.ts'

/** Restarts and shuts down with the system's own program. */
export function createPowerTools(host: Host): PowerTools {
  return {
    async command(action, message) {
      const flag = action === 'reboot' ? '-r' : '-h'
      if (await hasProgram(host, 'shutdown'))
        return ['shutdown', flag, 'now', ...(message === undefined ? [] : [message])]
      if (await isSystemd(host)) return ['systemctl', action === 'reboot' ? 'reboot' : 'poweroff']
      throw new ToolFailure('UNSUPPORTED_PLATFORM', 'this machine has no program to shut it down')
    },

    async run([program = '', ...args]) {
      await runProgram(host, program, args)
    },
  }
}

async function hasProgram({ path }: Host, name: string): Promise<boolean> {
  for (const folder of path.split(':')) {
    const found = await access(join(folder, name)).then(
      () => true,
      () => false,
    )
    if (found) return true
  }
  return false
}
