// Every command that agents know: its payload and result, the permission to send it, and how it is sent.
import type { Permission } from '@muster/kit/vocabulary.ts'
import type { Capability } from '@muster/wire/capabilities.ts'
import * as agent from '@muster/wire/commands/agent.ts'
import { CheckFinding, RunCheck } from '@muster/wire/commands/checks.ts'
import * as eventLogs from '@muster/wire/commands/event-logs.ts'
import * as files from '@muster/wire/commands/files.ts'
import { Power, PowerResult } from '@muster/wire/commands/power.ts'
import * as processes from '@muster/wire/commands/processes.ts'
import * as registry from '@muster/wire/commands/registry.ts'
import { RunScript, ScriptResult, takesSecrets } from '@muster/wire/commands/scripts.ts'
import * as services from '@muster/wire/commands/services.ts'
import * as tasks from '@muster/wire/commands/tasks.ts'
import type { z } from 'zod'
import { autoUpdateSetting, type DeviceSetting } from './auto-update/update-setting.ts'
import type { CommandName } from './commands.contract.ts'

type Fields = z.ZodType<Record<string, unknown>>

/** The rules for commands of one type. */
export interface CommandType {
  readonly payload: Fields
  readonly result: Fields
  /** Required to send it. */
  readonly permission: Permission
  /** The longest time that it may run. */
  readonly timeoutMs: number
  /**
   * `queued` waits for its device, runs once, and its result is stored. `interactive` is answered in the same request by a
   * connected device, and is not stored. `both` can be sent either way.
   */
  readonly mode: 'queued' | 'interactive' | 'both'
  /** How long a queued command waits for its device. */
  readonly expiresInSeconds: number
  /**
   * `look` lists what the machine does and consists of, `read` returns any content that the agent can open, including secrets,
   * `change` can be undone, `full` can do anything that the agent can. All but `look` count toward the blast radius.
   */
  readonly risk: 'look' | 'read' | 'change' | 'full'
  /** The first version of the agent that knows it. */
  readonly minAgentVersion: string
  /** What the device must be able to do for such a payload, besides the command itself. */
  readonly needs?: (payload: Readonly<Record<string, unknown>>) => readonly Capability[]
  /** Maintenance windows with an effect on this activity hold it back. */
  readonly activity?: 'scripts' | 'reboots'
  /** Stored with the device when the command is issued. */
  readonly setting?: DeviceSetting
}

const daySeconds = 86_400
const firstVersion = '0.1.0'

const usual = {
  permission: 'devices:execute',
  timeoutMs: 15_000,
  expiresInSeconds: daySeconds,
  minAgentVersion: firstVersion,
} as const

const look = { ...usual, mode: 'interactive', risk: 'look' } as const
const change = { ...usual, mode: 'both', risk: 'change', timeoutMs: 60_000 } as const
const queued = { ...usual, mode: 'queued' } as const
const power = {
  ...queued,
  payload: Power,
  result: PowerResult,
  timeoutMs: 60_000,
  expiresInSeconds: 600,
  risk: 'full',
  activity: 'reboots',
} as const
const file = { permission: 'remote:access', timeoutMs: 30_000 } as const

export const commandRegistry = {
  refresh_inventory: {
    ...queued,
    payload: agent.RefreshInventory,
    result: agent.RefreshInventoryResult,
    timeoutMs: 120_000,
    risk: 'look',
  },
  run_script: {
    ...queued,
    payload: RunScript,
    result: ScriptResult,
    permission: 'scripts:execute',
    timeoutMs: 300_000,
    risk: 'full',
    activity: 'scripts',
    needs: (payload) => [
      `script:${RunScript.shape.language.parse(payload.language)}`,
      ...(payload.runAs === 'user' ? (['run_as_user'] as const) : []),
      ...(payload.runAsUser === undefined ? [] : (['run_as_named_user'] as const)),
      ...(takesSecrets(payload) ? (['secrets'] as const) : []),
    ],
  },
  set_auto_update: {
    ...queued,
    payload: agent.SetAutoUpdate,
    result: agent.SetAutoUpdateResult,
    setting: autoUpdateSetting,
    permission: 'devices:write',
    timeoutMs: 60_000,
    expiresInSeconds: 30 * daySeconds,
    risk: 'change',
  },
  // A machine that was offline must not restart hours after the request.
  reboot: power,
  shutdown: power,

  list_processes: { ...look, payload: processes.ListProcesses, result: processes.ProcessList },
  get_process: { ...look, payload: processes.GetProcess, result: processes.ProcessDetail },
  kill_process: { ...change, mode: 'interactive', payload: processes.KillProcess, result: processes.KilledProcess },

  list_services: { ...look, payload: services.ListServices, result: services.ServiceList },
  get_service: { ...look, payload: services.GetService, result: services.ServiceDetail },
  start_service: { ...change, payload: services.ControlService, result: services.ControlledService },
  stop_service: { ...change, payload: services.ControlService, result: services.ControlledService },
  restart_service: { ...change, payload: services.ControlService, result: services.ControlledService },

  list_files: { ...look, ...file, payload: files.ListFiles, result: files.FileList },
  read_file: { ...look, ...file, risk: 'read', payload: files.ReadFile, result: files.FilePiece },
  write_file: { ...look, ...file, risk: 'full', payload: files.WriteFile, result: files.WrittenFile },

  list_event_logs: { ...look, payload: eventLogs.ListEventLogs, result: eventLogs.EventLogList },
  get_event_log: { ...look, payload: eventLogs.GetEventLog, result: eventLogs.EventLogDetail },
  list_events: { ...look, timeoutMs: 30_000, payload: eventLogs.ListEvents, result: eventLogs.EventList },
  get_event: { ...look, payload: eventLogs.GetEvent, result: eventLogs.EventDetail },

  list_tasks: { ...look, payload: tasks.ListTasks, result: tasks.TaskList },
  get_task: { ...look, payload: tasks.GetTask, result: tasks.TaskDetail },
  get_task_history: { ...look, timeoutMs: 30_000, payload: tasks.TaskHistory, result: tasks.TaskRuns },
  run_task: { ...change, payload: tasks.ChangeTask, result: tasks.StartedTask },
  enable_task: { ...change, payload: tasks.ChangeTask, result: tasks.ChangedTask },
  disable_task: { ...change, payload: tasks.ChangeTask, result: tasks.ChangedTask },

  // As long as the longest check, and the time after which the agent gives it up.
  run_check: { ...look, payload: RunCheck, result: CheckFinding, timeoutMs: 62_000 },

  list_registry_keys: { ...look, payload: registry.RegistryKeyPlace, result: registry.RegistryKeys },
  list_registry_values: {
    ...look,
    risk: 'read',
    payload: registry.RegistryKeyPlace,
    result: registry.RegistryValues,
  },
  get_registry_value: {
    ...look,
    risk: 'read',
    payload: registry.RegistryValuePlace,
    result: registry.RegistryValue,
  },
  set_registry_value: { ...change, payload: registry.SetRegistryValue, result: registry.RegistryDone },
  delete_registry_value: { ...change, payload: registry.RegistryValuePlace, result: registry.RegistryDone },
  create_registry_key: { ...change, payload: registry.RegistryKeyName, result: registry.RegistryDone },
  delete_registry_key: { ...change, payload: registry.DeletableRegistryKey, result: registry.RegistryDone },
} as const satisfies Record<CommandName, CommandType>

export type CommandRegistry = typeof commandRegistry

/** The rules for one type, for code that handles any command. */
export const commandType = (name: CommandName): CommandType => commandRegistry[name]
