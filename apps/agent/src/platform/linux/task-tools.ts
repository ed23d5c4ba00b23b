import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Task, tasksMax } from '@muster/wire/commands/tasks.ts'
import { ToolFailure } from '../../tool-failure.ts'
import { Cron, type CronPlaces, type CronTask, lineOf } from '../posix/cron.ts'
import { type Account, runCronTask } from '../posix/cron-run.ts'
import { parseLine } from '../posix/log-files.ts'
import type { TaskTools } from '../tools.ts'
import { parseJournal } from './journal-log.ts'
import { type Host, runProgram } from './systemd.ts'
import { Timers } from './timers.ts'

const places: CronPlaces = {
  files: 'etc/cron.d',
  // Some distributions store crontabs without the inner folder.
  spools: ['var/spool/cron/crontabs', 'var/spool/cron'],
  scripts: {
    'etc/cron.hourly': 'hourly',
    'etc/cron.daily': 'daily',
    'etc/cron.weekly': 'weekly',
    'etc/cron.monthly': 'monthly',
  },
}
const definitionCharsMax = 32_000
const logBytesMax = 4 * 1024 * 1024
const cronLogs = ['/var/log/cron.log', '/var/log/cron', '/var/log/syslog', '/var/log/messages']

type Runs = { at: string; message: string }[]

/** systemd timers and everything that cron runs. @param root where the cron folders are */
export function createTaskTools(host: Host, root: string): TaskTools {
  const cron = new Cron(root, places)
  const timers = new Timers(host)
  /** With their last runs, where the machine keeps a history. A script ran when its folder did. */
  const cronTasks = async (): Promise<CronTask[]> => {
    const [all, runs = []] = await Promise.all([cron.all(), cronRuns(host, root)])
    return all.map((one) => {
      const [last] = runsOf(runner(one, all).task, runs)
      return { ...one, task: { ...one.task, lastRunAt: last?.at ?? null } }
    })
  }
  const found = async (path: string): Promise<CronTask> => {
    const one = (await cronTasks()).find(({ task }) => task.path === path)
    if (one === undefined) throw new ToolFailure('NOT_FOUND', 'Task not found')
    return one
  }
  const runsOfCron = async (path: string, limit: number): Promise<Runs | undefined> => {
    const all = await cron.all()
    const one = all.find(({ task }) => task.path === path)
    if (one === undefined) throw new ToolFailure('NOT_FOUND', 'Task not found')
    const runs = await cronRuns(host, root)
    return (
      runs &&
      runsOf(runner(one, all).task, runs)
        .slice(0, limit)
        .map(({ at, message }) => ({ at, message }))
    )
  }
  const runner = (one: CronTask, all: readonly CronTask[]) => (one.line === null ? (lineOf(one, all) ?? one) : one)
  const timerIn = (path: string) => /^timer:(.+)$/.exec(path)?.[1]

  return {
    async list() {
      const tasks = [...(await timers.all()), ...(await cronTasks()).map(({ task }) => task)]
      return { tasks: tasks.slice(0, tasksMax), truncated: tasks.length > tasksMax }
    },

    async detail(path) {
      const timer = timerIn(path)
      if (timer !== undefined) {
        const { task, description, definition } = await timers.find(timer)
        return { ...task, description, definition: definition.slice(0, definitionCharsMax) }
      }
      const { task, file, line } = await found(path)
      const definition = line ?? (await readFile(file, 'utf8').catch(() => ''))
      return { ...task, description: null, definition: definition.slice(0, definitionCharsMax) }
    },

    async history({ path, limit }) {
      const timer = timerIn(path)
      const runs =
        timer === undefined
          ? await runsOfCron(path, limit)
          : await runsOfUnit(host, (await timers.find(timer)).unit, limit)
      if (runs !== undefined) return { runs, unavailable: null }
      return { runs: [], unavailable: 'This machine keeps no history of its runs' }
    },

    async run(path) {
      const timer = timerIn(path)
      if (timer !== undefined) await timers.run((await timers.find(timer)).unit)
      else await runCronTask(await cron.find(path), accountOf)
      return { path, started: true }
    },

    async switch(path, enabled) {
      const timer = timerIn(path)
      if (timer !== undefined) {
        await timers.find(timer)
        await timers.switch(timer, enabled)
      } else await cron.switch(await cron.find(path), enabled)
      return { path, enabled }
    },
  }
}

/** The journal entries of a timer's unit; undefined without a journal. */
async function runsOfUnit(host: Host, unit: string, limit: number): Promise<Runs | undefined> {
  return fromJournal(host, limit, [`--unit=${unit}`])
}

async function fromJournal(host: Host, limit: number, args: readonly string[]): Promise<Runs | undefined> {
  const base = ['--no-pager', '--quiet', '--output=json', '--reverse', `--lines=${limit}`]
  const ended = await runProgram(host, 'journalctl', [...base, ...args]).catch(() => undefined)
  if (ended === undefined || ended.exitCode !== 0 || ended.stdout === '') return undefined
  return parseJournal(ended.stdout).flatMap(({ __REALTIME_TIMESTAMP, MESSAGE }) => {
    const at = Number(__REALTIME_TIMESTAMP) / 1000
    return Number.isFinite(at) && typeof MESSAGE === 'string'
      ? [{ at: new Date(at).toISOString(), message: MESSAGE }]
      : []
  })
}

const said = /\((\S+)\) CMD \((.*)\)\s*$/

interface CronRun {
  readonly at: string
  readonly message: string
  readonly user: string
  readonly command: string
}

/** cron's own log of its runs, newest first: `(root) CMD (…)`, in the journal or in a file. */
async function cronRuns(host: Host, root: string): Promise<CronRun[] | undefined> {
  const journal = await fromJournal(host, 2_000, ['--identifier=CRON', '--identifier=cron', '--identifier=crond'])
  const all = journal ?? (await fromCronLogs(root))
  return all?.flatMap(({ at, message }) => {
    const [, user, command] = said.exec(message) ?? []
    return user === undefined || command === undefined ? [] : [{ at, message, user, command: plain(command) }]
  })
}

async function fromCronLogs(root: string): Promise<Runs | undefined> {
  for (const file of cronLogs) {
    const text = await readFile(join(root, file), 'utf8').catch(() => undefined)
    if (text === undefined) continue
    const lines = text.slice(-logBytesMax).split('\n')
    const runs = lines.flatMap((line) => {
      const { at, message, source } = parseLine(line, new Date())
      return at !== null && /^crond?$/i.test(source ?? '') ? [{ at, message }] : []
    })
    return runs.reverse()
  }
  return undefined
}

const plain = (command: string) => command.trim().replace(/\s+/g, ' ')
const runsOf = ({ user, command }: Task, runs: readonly CronRun[]): CronRun[] =>
  runs.filter((run) => run.user === user && run.command === plain(command ?? ''))

async function accountOf(user: string): Promise<Account> {
  const entry = (await readFile('/etc/passwd', 'utf8')).split('\n').find((line) => line.startsWith(`${user}:`))
  const [, , uid, gid, , home = '/'] = entry?.split(':') ?? []
  if (uid === undefined || gid === undefined) throw new ToolFailure('NOT_FOUND', `there is no user ${user}`)
  return { user, uid: Number(uid), gid: Number(gid), home }
}
