import type { Machine } from '../machine.ts'
import { EventLogs } from './event-logs.ts'
import { Files } from './files.ts'
import { Processes } from './processes.ts'
import { Registry } from './registry.ts'
import { Services } from './services.ts'
import { Tasks } from './tasks.ts'
import type { Tools } from './tool.ts'

/** The tools of a simulated machine, answering as its operating system does. Only Windows has a registry. */
export const toolsOf = (machine: Machine, now: number): Tools => ({
  ...new Processes(machine, now).tools,
  ...new Services(machine).tools,
  ...new Files(machine).tools,
  ...new EventLogs(machine).tools,
  ...new Tasks(machine).tools,
  ...(machine.platform.osType === 'windows' ? new Registry(machine).tools : {}),
})
