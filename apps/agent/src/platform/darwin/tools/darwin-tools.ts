import { createFileTools } from '../../files/file-tools.ts'
import { withoutOwn } from '../../own-service.ts'
import type { Tools } from '../../tools.ts'
import { namesOf } from '../accounts.ts'
import { guardedFolders } from '../held-folders.ts'
import type { Mac } from '../mac.ts'
import { createEventLogTools } from './event-log-tools.ts'
import { createPowerTools } from './power-tools.ts'
import { createProcessTools } from './process-tools.ts'
import { createProtectionTools } from './protection-tools.ts'
import { createServiceTools } from './service-tools.ts'
import { createTaskTools } from './task-tools.ts'

/** As install.sh names it. */
const ownService = 'com.muster.agent'

/** @param secret folders without access: the agent's own */
export function createTools(secret: readonly string[], mac: Mac): Tools {
  const names = namesOf(mac)
  return {
    processes: createProcessTools(mac, names),
    services: withoutOwn(createServiceTools(mac), ownService),
    files: createFileTools(guardedFolders(secret, names)),
    eventLogs: createEventLogTools(mac),
    tasks: createTaskTools(mac),
    power: createPowerTools(mac),
    protections: createProtectionTools(mac),
    registry: undefined,
  }
}
