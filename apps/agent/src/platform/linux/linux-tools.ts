import { createFileTools } from '../files/file-tools.ts'
import type { Tools } from '../tools.ts'
import { createEventLogTools } from './event-log-tools.ts'
import { guardedFolders } from './held-folders.ts'
import { createPowerTools } from './power.ts'
import { createProcessTools } from './processes.ts'
import { createServiceTools } from './service-tools.ts'
import { type Host, thisHost } from './systemd.ts'
import { createTaskTools } from './task-tools.ts'

/** @param secret folders without access: the agent's own */
export function createTools(secret: readonly string[], host: Host = thisHost): Tools {
  return {
    processes: createProcessTools(),
    services: createServiceTools(host),
    files: createFileTools(guardedFolders(secret)),
    eventLogs: createEventLogTools(host, '/var/log'),
    tasks: createTaskTools(host, '/'),
    power: createPowerTools(host),
    registry: undefined,
  }
}
