import { tasksMax } from '@muster/wire/commands/tasks.ts'
import { ToolFailure } from '../../../tool-failure.ts'
import type { TaskTools } from '../../tools.ts'
import { winErrors } from '../native/error-codes.ts'
import { systemText } from '../native/errors.ts'
import { runTool } from '../program.ts'
import { parseTasks, parseTimes, type ScheduledTask } from '../task-xml.ts'
import { native } from '../thread/native-thread.ts'

const historyLog = 'Microsoft-Windows-TaskScheduler/Operational'
const historySearchMax = 1_000

/** Tasks of the Task Scheduler, by `schtasks`. */
export function createTaskTools(): TaskTools {
  const tools: TaskTools = {
    async list() {
      const tasks = parseTasks(await schtasks(['/query', '/xml', 'ONE'])).map(({ task }) => task)
      return { tasks: tasks.slice(0, tasksMax), truncated: tasks.length > tasksMax }
    },

    async detail(path) {
      const { task, description, definition } = await taskAt(path)
      const times = parseTimes(await schtasks(['/query', '/tn', nameOf(path), '/fo', 'CSV', '/v']).catch(() => ''))
      return { ...task, ...times, description, definition }
    },

    async history({ path, limit }) {
      await taskAt(path)
      const asked = { name: historyLog, limit: historySearchMax, search: nameOf(path) }
      const page = await native('readEvents', [asked, null]).catch(() => undefined)
      if (page === undefined) return { runs: [], unavailable: 'This machine keeps no history of its runs' }
      const runs = page.events.flatMap(({ at, message }) => (at === null ? [] : [{ at, message }]))
      return { runs: runs.slice(0, limit), unavailable: null }
    },

    async run(path) {
      await taskAt(path)
      await schtasks(['/run', '/tn', nameOf(path)])
      return { path, started: true }
    },

    async switch(path, enabled) {
      await taskAt(path)
      await schtasks(['/change', '/tn', nameOf(path), enabled ? '/enable' : '/disable'])
      return { path, enabled }
    },
  }
  return tools
}

async function taskAt(path: string): Promise<ScheduledTask> {
  const name = nameOf(path)
  const [task] = parseTasks(await schtasks(['/query', '/tn', name, '/xml']), name)
  // It may end without an error and without a task.
  if (task === undefined || !/<Task\b/.test(task.definition)) throw new ToolFailure('NOT_FOUND', 'Task not found')
  return task
}

/** The path of a task in the Task Scheduler, such as `\Microsoft\Windows\Defrag\ScheduledDefrag`. */
function nameOf(path: string): string {
  const name = /^task:((?:\\[^\\/"*?<>|:]+)+)$/.exec(path)?.[1]
  if (name === undefined || /\\\.{1,2}(\\|$)/.test(name)) throw new ToolFailure('NOT_FOUND', 'Task not found')
  return name
}

async function schtasks(args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runTool('schtasks.exe', args)
  if (exitCode === 0) return stdout
  const words = (stderr.trim() || stdout.trim()).slice(0, 500)
  // The words are in the language of the machine; the number of the error often follows them.
  const says = (pattern: RegExp, codes: readonly number[]) =>
    pattern.test(words) || codes.some((code) => hasText(words, code))
  if (says(/does not exist|cannot find|0x8007000[23]/i, [winErrors.fileNotFound, winErrors.pathNotFound]))
    throw new ToolFailure('NOT_FOUND', 'Task not found')
  if (says(/denied|0x80070005/i, [winErrors.accessDenied]))
    throw new ToolFailure('NOT_PERMITTED', 'the agent has no permission for this task')
  throw new ToolFailure('COMMAND_FAILED', words || `schtasks ended with exit code ${exitCode}`)
}

/** Whether words name an error as the system does, in its language. */
function hasText(words: string, code: number): boolean {
  const text = systemText(code).replace(/\.$/, '')
  return text !== '' && words.includes(text)
}
