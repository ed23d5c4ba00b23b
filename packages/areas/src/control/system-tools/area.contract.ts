import { eventLogs } from './event-logs.contract.ts'
import { files } from './files.contract.ts'
import { processes } from './processes.contract.ts'
import { registry } from './registry.contract.ts'
import { services } from './services.contract.ts'
import { tasks } from './tasks.contract.ts'

export default { eventLogs, files, processes, registry, services, tasks }
