import { area } from '../../area.ts'
import contract from './area.contract.ts'
import eventLogs from './event-logs.ts'
import files from './files.ts'
import processes from './processes.ts'
import registry from './registry.ts'
import services from './services.ts'
import {
  eventLogsExamples,
  filesExamples,
  processesExamples,
  registryExamples,
  servicesExamples,
  tasksExamples,
} from './system-tools.examples.ts'
import tasks from './tasks.ts'

export default area({
  name: 'systemTools',
  contract,
  handlers: { eventLogs, files, processes, registry, services, tasks },
  examples: {
    eventLogs: eventLogsExamples,
    files: filesExamples,
    processes: processesExamples,
    registry: registryExamples,
    services: servicesExamples,
    tasks: tasksExamples,
  },
})
