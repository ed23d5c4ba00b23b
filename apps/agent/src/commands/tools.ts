import * as eventLogs from '@muster/wire/commands/event-logs.ts'
import * as files from '@muster/wire/commands/files.ts'
import * as processes from '@muster/wire/commands/processes.ts'
import * as registry from '@muster/wire/commands/registry.ts'
import * as services from '@muster/wire/commands/services.ts'
import * as tasks from '@muster/wire/commands/tasks.ts'
import { z } from 'zod'
import type { RegistryTools, ServiceAction, Tools } from '../platform/tools.ts'
import { ToolFailure } from '../tool-failure.ts'
import { type CommandKind, defineCommand, type Outcome } from './command.ts'
import { withBytes } from './registry-text.ts'

const completed = (result: Record<string, unknown>): Outcome => ({ status: 'completed', result })

/** The interactive tools, by their type on the wire. */
export function toolCommands({
  processes: p,
  services: s,
  files: f,
  eventLogs: e,
  tasks: t,
  registry: r,
}: Tools): [string, CommandKind][] {
  const control = (action: ServiceAction) =>
    defineCommand(services.ControlService, async ({ name }) => completed(await s.control(name, action)))
  const toggle = (enabled: boolean) =>
    defineCommand(tasks.ChangeTask, async ({ path }) => completed(await t.switch(path, enabled)))
  return [
    ['list_processes', defineCommand(processes.ListProcesses, async () => completed(await p.list()))],
    ['get_process', defineCommand(processes.GetProcess, async ({ pid }) => completed(await p.detail(pid)))],
    ['kill_process', defineCommand(processes.KillProcess, async (what) => completed(await p.kill(what)))],
    ['list_services', defineCommand(services.ListServices, async () => completed(await s.list()))],
    ['get_service', defineCommand(services.GetService, async ({ name }) => completed(await s.detail(name)))],
    ['start_service', control('start')],
    ['stop_service', control('stop')],
    ['restart_service', control('restart')],
    ['list_files', defineCommand(files.ListFiles, async ({ path }) => completed(await f.list(path)))],
    [
      'read_file',
      defineCommand(files.ReadFile, async (what) => {
        const { piece, data } = await f.read(what)
        return { ...completed(piece), data }
      }),
    ],
    [
      'write_file',
      defineCommand(files.WriteFile, async (what, { data }) =>
        completed(await f.write(what, data ?? new Uint8Array())),
      ),
    ],
    ['list_event_logs', defineCommand(eventLogs.ListEventLogs, async () => completed(await e.list()))],
    ['get_event_log', defineCommand(eventLogs.GetEventLog, async ({ name }) => completed(await e.detail(name)))],
    ['list_events', defineCommand(eventLogs.ListEvents, async (what) => completed(await e.events(what)))],
    ['get_event', defineCommand(eventLogs.GetEvent, async (what) => completed(await e.event(what)))],
    ['list_tasks', defineCommand(tasks.ListTasks, async () => completed(await t.list()))],
    ['get_task', defineCommand(tasks.GetTask, async ({ path }) => completed(await t.detail(path)))],
    ['get_task_history', defineCommand(tasks.TaskHistory, async (what) => completed(await t.history(what)))],
    ['run_task', defineCommand(tasks.ChangeTask, async ({ path }) => completed(await t.run(path)))],
    ['enable_task', toggle(true)],
    ['disable_task', toggle(false)],
    ...registryCommands(r),
  ]
}

const data = z.union([z.string(), z.number(), z.array(z.string())])

/** The commands for the registry; a system without one answers each with UNSUPPORTED_PLATFORM. */
function registryCommands(tools: RegistryTools | undefined): [string, CommandKind][] {
  const on = <S extends z.ZodType>(payload: S, work: (tools: RegistryTools, what: z.output<S>) => Promise<object>) =>
    defineCommand(payload, async (what) => {
      if (tools === undefined)
        throw new ToolFailure('UNSUPPORTED_PLATFORM', 'this machine has no registry; only Windows has one')
      return completed({ ...(await work(tools, what)) })
    })
  const view = { view: z.enum(['32', '64']).default('64') }
  const key = registry.RegistryKeyPlace.extend(view).transform(({ path = '', ...place }) => ({ path, ...place }))
  const named = registry.RegistryKeyName.extend(view)
  const value = registry.RegistryValuePlace.extend(view)
  const deletable = registry.DeletableRegistryKey.safeExtend(view)
  const change = registry.RegistryValueChange.extend({ ...view, data })
  return [
    ['list_registry_keys', on(key, (r, place) => r.keys(place))],
    [
      'list_registry_values',
      on(key, async (r, place) => {
        const found = await r.values(place)
        return { ...found, values: found.values.map(withBytes) }
      }),
    ],
    ['get_registry_value', on(value, async (r, { name, ...place }) => withBytes(await r.value(place, name)))],
    ['set_registry_value', on(change, (r, { name, type, data, ...place }) => r.setValue(place, { name, type, data }))],
    ['delete_registry_value', on(value, (r, { name, ...place }) => r.deleteValue(place, name))],
    ['create_registry_key', on(named, (r, place) => r.createKey(place))],
    ['delete_registry_key', on(deletable, (r, place) => r.deleteKey(place))],
  ]
}
