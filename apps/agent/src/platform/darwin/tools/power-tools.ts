import { ToolFailure } from '../../../tool-failure.ts'
import type { PowerTools } from '../../tools.ts'
import { type Mac, required } from '../mac.ts'

/** Restarts and shuts down at once, with a message to the terminals; open documents are not asked about. */
export function createPowerTools(mac: Mac): PowerTools {
  return {
    async command(action, message) {
      const flag = action === 'reboot' ? '-r' : '-h'
      return ['shutdown', flag, 'now', ...(message === undefined ? [] : [message])]
    },

    async run([program, ...args]) {
      if (program !== 'shutdown') throw new ToolFailure('COMMAND_FAILED', 'only shutdown can be run')
      await required(mac, program, args)
    },
  }
}
