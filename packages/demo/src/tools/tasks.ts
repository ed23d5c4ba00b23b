import {
  ChangedTask,
  ChangeTask,
  GetTask,
  ListTasks,
  StartedTask,
  type Task,
  TaskDetail,
  TaskHistory,
  TaskList,
  TaskRuns,
} from '@muster/wire/commands/tasks.ts'
import type { Machine } from '../machine.ts'
import { Refusal, type Tools, tool } from './tool.ts'

const dayMs = 86_400_000

type Planned = Pick<Task, 'path' | 'name' | 'kind' | 'schedule' | 'user' | 'command'>

const planned: Readonly<Record<Machine['platform']['osType'], readonly Planned[]>> = {
  windows: [
    {
      path: 'task:\\Microsoft\\Windows\\Defrag\\ScheduledDefrag',
      name: 'ScheduledDefrag',
      kind: 'task',
      schedule: 'Weekly',
      user: 'SYSTEM',
      command: '%windir%\\system32\\defrag.exe -c -h -k -g -$',
    },
    {
      path: 'task:\\Microsoft\\Windows\\WindowsUpdate\\Scheduled Start',
      name: 'Scheduled Start',
      kind: 'task',
      schedule: 'Once, then at each trigger',
      user: 'SYSTEM',
      command: '%systemroot%\\system32\\sc.exe start wuauserv',
    },
    {
      path: 'task:\\Backup documents',
      name: 'Backup documents',
      kind: 'task',
      schedule: 'Daily at 22:00',
      user: 'Administrator',
      command: 'robocopy.exe C:\\Users D:\\Backup /MIR',
    },
  ],
  linux: [
    {
      path: 'timer:logrotate.timer',
      name: 'logrotate.timer',
      kind: 'timer',
      schedule: 'OnCalendar=daily',
      user: 'root',
      command: '/usr/sbin/logrotate /etc/logrotate.conf',
    },
    {
      path: 'timer:apt-daily.timer',
      name: 'apt-daily.timer',
      kind: 'timer',
      schedule: 'OnCalendar=*-*-* 6,18:00',
      user: 'root',
      command: '/usr/lib/apt/apt.systemd.daily update',
    },
    {
      path: 'cron:/etc/cron.d/backup:1f0a93c2',
      name: 'backup',
      kind: 'cron',
      schedule: '30 2 * * *',
      user: 'backup',
      command: '/usr/local/bin/backup --incremental',
    },
  ],
  macos: [
    {
      path: 'timer:com.apple.backupd-auto',
      name: 'com.apple.backupd-auto',
      kind: 'timer',
      schedule: 'StartInterval=3600',
      user: 'root',
      command: '/System/Library/CoreServices/backupd.bundle/Contents/Resources/backupd-helper -launchd',
    },
    {
      path: 'timer:com.apple.periodic-weekly',
      name: 'com.apple.periodic-weekly',
      kind: 'timer',
      schedule: 'StartCalendarInterval=Weekday 6 03:15',
      user: 'root',
      command: '/usr/libexec/periodic-wrapper weekly',
    },
    {
      path: 'cron:/etc/crontab:77aa01b4',
      name: 'periodic daily',
      kind: 'cron',
      schedule: '15 3 * * *',
      user: 'root',
      command: '/usr/sbin/periodic daily',
    },
  ],
}

/** The scheduled tasks of a simulated machine. */
export class Tasks {
  readonly #tasks: readonly Planned[]
  readonly #disabled: Set<string> = new Set()
  readonly #runs: Map<string, number> = new Map()

  constructor({ platform: { osType } }: Machine) {
    this.#tasks = planned[osType]
  }

  get tools(): Tools {
    const enable = (enabled: boolean) =>
      tool(ChangeTask, ChangedTask, ({ path }) => {
        this.#find(path)
        if (enabled) this.#disabled.delete(path)
        else this.#disabled.add(path)
        return { path, enabled }
      })
    return {
      list_tasks: tool(ListTasks, TaskList, (_, now) => ({
        tasks: this.#tasks.map((each) => this.#told(each, now)),
        truncated: false,
      })),
      get_task: tool(GetTask, TaskDetail, ({ path }, now) => {
        const found = this.#find(path)
        const definition = `${found.schedule}\n${found.command}`
        return { ...this.#told(found, now), description: null, definition }
      }),
      get_task_history: tool(TaskHistory, TaskRuns, ({ path, limit }, now) => {
        const last = this.#lastRun(this.#find(path).path, now)
        const runs = Array.from({ length: Math.min(limit, 14) }, (_, back) => ({
          at: new Date(last - back * dayMs).toISOString(),
          message: 'Completed successfully',
        }))
        return { runs, unavailable: null }
      }),
      run_task: tool(ChangeTask, StartedTask, ({ path }, now) => {
        this.#runs.set(this.#find(path).path, now)
        return { path, started: true }
      }),
      enable_task: enable(true),
      disable_task: enable(false),
    }
  }

  #find(path: string): Planned {
    const found = this.#tasks.find((task) => task.path === path)
    if (found === undefined) throw new Refusal('NOT_FOUND', `there is no task ${path}`)
    return found
  }

  /** This morning, or when it was last started by hand. */
  #lastRun(path: string, now: number): number {
    return this.#runs.get(path) ?? now - (now % dayMs)
  }

  #told(task: Planned, now: number): Task {
    const enabled = !this.#disabled.has(task.path)
    const next = now - (now % dayMs) + dayMs
    return {
      ...task,
      enabled,
      nextRunAt: enabled ? new Date(next).toISOString() : null,
      lastRunAt: new Date(this.#lastRun(task.path, now)).toISOString(),
    }
  }
}
