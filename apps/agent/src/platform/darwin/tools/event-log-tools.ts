import { join } from 'node:path'
import { LogFiles } from '../../posix/log-files.ts'
import type { EventLogTools } from '../../tools.ts'
import { UnifiedLog } from '../log/unified-log.ts'
import type { Mac } from '../mac.ts'

const logsMax = 500
const unifiedName = 'unified'

/** The unified log, and the text files of the system log. */
export function createEventLogTools(mac: Mac): EventLogTools {
  const unified = new UnifiedLog(mac)
  const files = new LogFiles(join(mac.root, 'var/log'))
  return {
    async list() {
      const { logs, truncated } = await files.list(logsMax)
      const { sizeBytes, lastAt } = await unified.summary()
      return { logs: [{ name: unifiedName, source: 'journal', sizeBytes, modifiedAt: lastAt }, ...logs], truncated }
    },

    async detail(name) {
      if (name !== unifiedName) return files.detail(name)
      const summary = await unified.summary()
      return { name, source: 'journal', modifiedAt: summary.lastAt, ...summary }
    },

    events: async (what) => (what.name === unifiedName ? unified.events(what) : files.events(what)),
    event: async ({ name, recordId }) => (name === unifiedName ? unified.event(recordId) : files.event(name, recordId)),
  }
}
