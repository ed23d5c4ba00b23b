import type { PowerTools } from '../../tools.ts'
import { native } from '../thread/native-thread.ts'

const call = 'InitiateSystemShutdownExW'

/** Restarts and shuts down through the system, which shows the message to the users who are signed in. */
export function createPowerTools(): PowerTools {
  return {
    async command(action, message) {
      return [call, action, ...(message === undefined ? [] : [message])]
    },

    async run([, action, message]) {
      await native('beginShutdown', [action === 'reboot', message ?? null])
    },
  }
}
