import type { EventLog } from '@muster/wire/commands/event-logs.ts'
import { ToolFailure } from '../../tool-failure.ts'
import { LogFiles } from '../posix/log-files.ts'
import type { EventLogTools } from '../tools.ts'
import { Journal } from './journal-log.ts'
import type { Host } from './systemd.ts'

const logsMax = 500
const journalName = 'journal'

/** The systemd journal, where there is one, and the text files of the system log. */
export function createEventLogTools(host: Host, logFolder: string): EventLogTools {
  const journal = new Journal(host)
  const files = new LogFiles(logFolder)

  async function requireJournal(): Promise<void> {
    if (!(await journal.exists())) throw new ToolFailure('NOT_FOUND', 'this machine has no systemd journal')
  }

  return {
    async list() {
      const found = await files.list(logsMax)
      const logs: EventLog[] = found.logs
      if (await journal.exists())
        logs.unshift({ name: journalName, source: 'journal', sizeBytes: null, modifiedAt: null })
      return { logs, truncated: found.truncated }
    },

    async detail(name) {
      if (name !== journalName) return files.detail(name)
      await requireJournal()
      const span = await journal.span()
      return { name, source: 'journal', sizeBytes: await journal.size(), modifiedAt: span.lastAt, ...span }
    },

    async events(what) {
      if (what.name !== journalName) return files.events(what)
      await requireJournal()
      return journal.events(what)
    },

    async event({ name, recordId }) {
      if (name !== journalName) return files.event(name, recordId)
      await requireJournal()
      return journal.event(recordId)
    },
  }
}
