import { createFileTools } from '../../files/file-tools.ts'
import type { Tools } from '../../tools.ts'
import { guardedFolders } from '../held-folders.ts'
import { native } from '../thread/native-thread.ts'
import { createEventLogTools } from './event-log-tools.ts'
import { createPowerTools } from './power-tools.ts'
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
    services: createServiceTools(),
    files: createFileTools(guardedFolders(secret)),
    eventLogs: createEventLogTools(),
    tasks: createTaskTools(),
    power: createPowerTools(),
    registry: {
      keys: (place) => native('listKeys', [place]),
      values: (place) => native('listValues', [place]),
      value: (place, name) => native('getValue', [place, name]),
      setValue: (place, value) => native('setValue', [place, value]),
      deleteValue: (place, name) => native('deleteValue', [place, name]),
      createKey: (place) => native('createKey', [place]),
      deleteKey: (place) => native('deleteKey', [place]),
    },
  }
}
