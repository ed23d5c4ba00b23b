import * as eventLogs from '@muster/wire/commands/event-logs.ts'
import * as files from '@muster/wire/commands/files.ts'
import * as processes from '@muster/wire/commands/processes.ts'
import * as services from '@muster/wire/commands/services.ts'
import * as tasks from '@muster/wire/commands/tasks.ts'
import { z } from 'zod'
import type { ServiceAction, Tools } from '../platform/tools.ts'
import { ToolFailure } from '../tool-failure.ts'
import { type CommandKind, defineCommand, type Outcome } from './command.ts'

const completed = (result: Record<string, unknown>): Outcome => ({ status: 'completed', result })

/** The interactive tools, by their type on the wire. */
export function toolCommands({
  processes: p,
  services: s,
  files: f,
  eventLogs: e,
  tasks: t,
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
    ...registryNames.map((name): [string, CommandKind] => [name, withoutRegistry]),
  ]
}

const registryNames = [
  'list_registry_keys',
  'list_registry_values',
  'get_registry_value',
  'set_registry_value',
  'delete_registry_value',
  'create_registry_key',
  'delete_registry_key',
]

const withoutRegistry = defineCommand(z.record(z.string(), z.unknown()), async () => {
  throw new ToolFailure('UNSUPPORTED_PLATFORM', 'this machine has no registry; only Windows has one')
})
