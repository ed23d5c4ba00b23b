import { createFileTools } from '../files/file-tools.ts'
import { observeFiles } from '../files/observe-file.ts'
import { withoutOwn } from '../own-service.ts'
import type { Tools } from '../tools.ts'
import { createEventLogTools } from './event-log-tools.ts'
import { createProtectionTools } from './facts/protections.ts'
import { guardedFolders, localFolders } from './held-folders.ts'
import { createPowerTools } from './power.ts'
import { createProcessTools } from './processes.ts'
import { createServiceTools } from './service-tools.ts'
import { type Host, thisHost } from './systemd.ts'
import { createTaskTools } from './task-tools.ts'

/** As install.sh names it. */
const ownService = ['muster-agent', 'muster-agent.service']

/** @param secret folders without access: the agent's own */
export function createTools(secret: readonly string[], host: Host = thisHost): Tools {
  return {
    processes: createProcessTools(),
    services: withoutOwn(createServiceTools(host), ...ownService),
    files: { ...createFileTools(guardedFolders(secret)), observe: observeFiles(localFolders(secret)) },
    eventLogs: createEventLogTools(host, '/var/log'),
    tasks: createTaskTools(host, '/'),
    power: createPowerTools(host),
    protections: createProtectionTools(host),
    registry: undefined,
  }
}
