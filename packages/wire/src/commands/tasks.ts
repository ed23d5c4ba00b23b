import { z } from 'zod'
import { line, moment } from './fields.ts'

export const tasksMax = 2_000
export const taskRunsMax = 200
/** Identifies a task: `timer:logrotate.timer`, `cron:/etc/crontab:1f0a93c2`, `script:/etc/cron.daily/dpkg`, `task:\\Backup`. */
export const taskPath = line(1_000).regex(/^(timer|cron|script|task):[^\0\n]+$/, {
  error: 'must be a path from the list of tasks, such as timer:logrotate.timer or task:\\Backup',
})

export const Task = z.object({
  path: z.string(),
  name: z.string(),
  kind: z.enum(['timer', 'cron', 'script', 'task']),
  enabled: z.boolean(),
  /** The schedule in the notation of its kind. */
  schedule: z.string().nullable(),
  user: z.string().nullable(),
  command: z.string().nullable(),
  nextRunAt: moment().nullable(),
  lastRunAt: moment().nullable(),
})
export type Task = z.infer<typeof Task>

export const ListTasks = z.object({})
export const TaskList = z.object({ tasks: z.array(Task), truncated: z.boolean() })

export const GetTask = z.object({ path: taskPath })
export const TaskDetail = Task.extend({ description: z.string().nullable(), definition: z.string() })

export const TaskHistory = z.object({ path: taskPath, limit: z.int().min(1).max(taskRunsMax).default(50) })
export const TaskRuns = z.object({
  runs: z.array(z.object({ at: moment(), message: z.string() })),
  /** False when the machine keeps no history of runs. */
  unavailable: z.string().nullable(),
})

export const ChangeTask = z.object({ path: taskPath })
export const StartedTask = z.object({ path: z.string(), started: z.boolean() })
export const ChangedTask = z.object({ path: z.string(), enabled: z.boolean() })
