import type { Machine } from '../machine.ts'
import type { Checks } from './checks.ts'
import { EventLogs } from './event-logs.ts'
import { Files } from './files.ts'
import { powerTools } from './power.ts'
import { Processes } from './processes.ts'
import { Registry } from './registry.ts'
import { Services } from './services.ts'
import { Tasks } from './tasks.ts'
import type { Tools } from './tool.ts'

/** The tools of a simulated machine, answering as its operating system does. Only Windows has a registry. */
export const toolsOf = (machine: Machine, now: number, checks: Checks): Tools => ({
  ...checks.tools,
  ...new Processes(machine, now).tools,
  ...new Services(machine).tools,
  ...new Files(machine).tools,
  ...new EventLogs(machine).tools,
  ...new Tasks(machine).tools,
  ...powerTools(machine),
  ...(machine.platform.osType === 'windows' ? new Registry(machine).tools : {}),
})
