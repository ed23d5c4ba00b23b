import type { FileEntry } from '@muster/wire/commands/files.ts'
import { ToolFailure } from '../../../tool-failure.ts'
import { createFileTools } from '../../files/file-tools.ts'
import { withoutOwn } from '../../own-service.ts'
import type { FileTools, Tools } from '../../tools.ts'
import { guardedFolders } from '../held-folders.ts'
import { serviceName } from '../installed-key.ts'
import { native } from '../thread/native-thread.ts'
import { createEventLogTools } from './event-log-tools.ts'
import { createPowerTools } from './power-tools.ts'
import { createProtectionTools } from './protection-tools.ts'
import { createRegistryTools } from './registry-tools.ts'
import { createServiceTools } from './service-tools.ts'
import { createTaskTools } from './task-tools.ts'

/** @param secret folders without access: the agent's own */
export function createTools(secret: readonly string[]): Tools {
  return {
    processes: {
      list: () => native('listProcesses', []),
      detail: (pid) => native('processDetail', [pid]),
      kill: ({ pid, signal, startedAt }) => native('killProcess', [pid, signal, startedAt, process.pid]),
    },
    services: withoutOwn(createServiceTools(), serviceName),
    files: onDrives(createFileTools(guardedFolders(secret))),
    eventLogs: createEventLogTools(),
    tasks: createTaskTools(),
    power: createPowerTools(),
    protections: createProtectionTools(),
    registry: createRegistryTools(),
  }
}

/** Windows has drives above its folders, and access lists instead of modes. */
function onDrives(files: FileTools): FileTools {
  return {
    ...files,
    async list(path) {
      if (path !== '/') return files.list(path)
      return { path, entries: (await native('listDrives', [])).map(driveEntry), truncated: false }
    },
    async write(what, data) {
      if (what.mode !== undefined)
        throw new ToolFailure('INVALID_PAYLOAD', 'mode sets permissions that Windows does not have; leave it out')
      return files.write(what, data)
    },
  }
}

const driveEntry = ({ root, modifiedMs }: { root: string; modifiedMs: number }): FileEntry => ({
  ...{ name: root.slice(0, 2), type: 'directory', sizeBytes: 0, mode: '0777' },
  ...{ owner: '', group: '', target: null, modifiedAt: new Date(modifiedMs).toISOString() },
})
