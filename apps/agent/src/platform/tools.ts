import type {
  EventDetail,
  EventList,
  EventLogDetail,
  EventLogList,
  GetEvent,
  ListEvents,
} from '@muster/wire/commands/event-logs.ts'
import type { FileList, FilePiece, ReadFile, WriteFile, WrittenFile } from '@muster/wire/commands/files.ts'
import type { PowerResult } from '@muster/wire/commands/power.ts'
import type { KilledProcess, KillProcess, ProcessDetail, ProcessList } from '@muster/wire/commands/processes.ts'
import type { RegistryKeys, RegistryValues } from '@muster/wire/commands/registry.ts'
import type { ControlledService, ServiceDetail, ServiceList } from '@muster/wire/commands/services.ts'
import type {
  ChangedTask,
  StartedTask,
  TaskDetail,
  TaskHistory,
  TaskList,
  TaskRuns,
} from '@muster/wire/commands/tasks.ts'
import type { EncryptionValue, FirewallValue } from '@muster/wire/facts/facts.ts'
import type { z } from 'zod'
import type { ObserveFile } from './files/observe-file.ts'

export interface ProcessTools {
  list(): Promise<z.infer<typeof ProcessList>>
  detail(pid: number): Promise<ProcessDetail>
  kill(what: z.infer<typeof KillProcess>): Promise<z.infer<typeof KilledProcess>>
}

export type ServiceAction = 'start' | 'stop' | 'restart'

export interface ServiceTools {
  list(): Promise<z.infer<typeof ServiceList>>
  detail(name: string): Promise<ServiceDetail>
  control(name: string, action: ServiceAction): Promise<z.infer<typeof ControlledService>>
}

export interface FileTools {
  /** For facts. @throws ToolFailure when the entry is closed to users, not readable or too large */
  observe: ObserveFile
  list(path: string): Promise<z.infer<typeof FileList>>
  read(what: z.infer<typeof ReadFile>): Promise<{ piece: z.infer<typeof FilePiece>; data: Uint8Array }>
  write(what: z.infer<typeof WriteFile>, data: Uint8Array): Promise<z.infer<typeof WrittenFile>>
}

export interface EventLogTools {
  list(): Promise<z.infer<typeof EventLogList>>
  detail(name: string): Promise<z.infer<typeof EventLogDetail>>
  events(what: z.infer<typeof ListEvents>): Promise<z.infer<typeof EventList>>
  event(what: z.infer<typeof GetEvent>): Promise<z.infer<typeof EventDetail>>
}

export interface TaskTools {
  list(): Promise<z.infer<typeof TaskList>>
  detail(path: string): Promise<z.infer<typeof TaskDetail>>
  history(what: z.infer<typeof TaskHistory>): Promise<z.infer<typeof TaskRuns>>
  run(path: string): Promise<z.infer<typeof StartedTask>>
  switch(path: string, enabled: boolean): Promise<z.infer<typeof ChangedTask>>
}

export type PowerAction = z.infer<typeof PowerResult>['action']

/** Restart and shutdown. Split in two, so that a dry run can show the program without running it. */
export interface PowerTools {
  /** The program and its arguments. */
  command(action: PowerAction, message: string | undefined): Promise<readonly string[]>
  run(command: readonly string[]): Promise<void>
}

/** A key of the registry; the path is empty for the hive itself. */
export interface RegistryPlace {
  hive: string
  path: string
  view: '32' | '64'
}
interface RegistryValue {
  name: string
  type: string
  data: string | number | string[]
}
interface Done {
  done: true
}

/** The registry of Windows. */
export interface RegistryTools {
  keys(place: RegistryPlace): Promise<z.infer<typeof RegistryKeys>>
  values(place: RegistryPlace): Promise<z.infer<typeof RegistryValues>>
  value(place: RegistryPlace, name: string): Promise<RegistryValue>
  setValue(place: RegistryPlace, value: RegistryValue): Promise<Done>
  deleteValue(place: RegistryPlace, name: string): Promise<Done>
  createKey(place: RegistryPlace): Promise<Done>
  deleteKey(place: RegistryPlace): Promise<Done>
}

/** How the system protects the machine and its data. @throws ToolFailure when it does not tell */
export interface ProtectionTools {
  firewall(): Promise<FirewallValue>
  encryption(): Promise<EncryptionValue>
}

/** The tools that users have on the machine through the agent. */
export interface Tools {
  readonly processes: ProcessTools
  readonly services: ServiceTools
  readonly files: FileTools
  readonly eventLogs: EventLogTools
  readonly tasks: TaskTools
  readonly power: PowerTools
  readonly protections: ProtectionTools
  /** Undefined on systems without one. */
  readonly registry: RegistryTools | undefined
}
