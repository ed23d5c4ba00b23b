import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, chown, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Task } from '@muster/wire/commands/tasks.ts'
import { failureOf, ToolFailure } from '../../tool-failure.ts'
import { nextRun } from './cron-schedule.ts'

/** The prefix of a line that was disabled here, so that enabling it restores the exact line. */
export const offMark = '#muster-off# '
const fileBytesMax = 256 * 1024
const nicknames = new Set(['@reboot', '@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'])
/** cron itself skips files with other names. */
const scriptName = /^[A-Za-z0-9_-]+$/

/** Where a system keeps the tasks of cron, besides /etc/crontab. */
export interface CronPlaces {
  /** A folder of files like /etc/crontab. */
  readonly files?: string
  /** Folders with a crontab per user. */
  readonly spools: readonly string[]
  /** Folders whose scripts a system crontab runs, with their schedules. */
  readonly scripts: Readonly<Record<string, string>>
}

interface CronFile {
  path: string
  /** The user of the crontab; null in files whose lines name the user. */
  user: string | null
}

export interface CronTask {
  task: Task
  /** The file, and for a line its exact text. */
  file: string
  line: string | null
}

/** Everything that cron runs, below a root folder. */
export class Cron {
  readonly #root: string
  readonly #places: CronPlaces

  constructor(root: string, places: CronPlaces) {
    this.#root = root
    this.#places = places
  }

  async all(): Promise<CronTask[]> {
    const files = await this.#files()
    const lines = (await Promise.all(files.map((file) => this.#linesOf(file)))).flat()
    return [...lines, ...(await this.#scripts()).map((script) => ({ ...script, task: withItsLine(script, lines) }))]
  }

  /** @throws ToolFailure when there is no such task, or its line has changed */
  async find(path: string): Promise<CronTask> {
    const found = (await this.all()).find(({ task }) => task.path === path)
    if (found === undefined) throw new ToolFailure('NOT_FOUND', 'Task not found')
    return found
  }

  /** Enables or disables a task: a line is commented out, a script loses its execute permission. */
  async switch({ task, file, line }: CronTask, enabled: boolean): Promise<void> {
    if (task.enabled === enabled) return
    try {
      if (line === null) {
        const { mode } = await stat(file)
        await chmod(file, enabled ? mode | 0o111 : mode & ~0o111)
        return
      }
      const text = await readText(file)
      const changed = enabled ? line.slice(offMark.length) : `${offMark}${line}`
      await replace(
        file,
        text
          .split('\n')
          .map((each) => (each === line ? changed : each))
          .join('\n'),
      )
    } catch (error) {
      throw failureOf(error, file)
    }
  }

  async #files(): Promise<CronFile[]> {
    const { files, spools } = this.#places
    const system = files === undefined ? [] : await namesIn(join(this.#root, files))
    const users = await Promise.all(
      spools.map(async (spool) =>
        (await namesIn(join(this.#root, spool))).map((user) => ({ path: `/${spool}/${user}`, user })),
      ),
    )
    return [
      { path: '/etc/crontab', user: null },
      ...system.filter((name) => scriptName.test(name)).map((name) => ({ path: `/${files}/${name}`, user: null })),
      ...users.flat(),
    ]
  }

  async #linesOf({ path, user }: CronFile): Promise<CronTask[]> {
    const file = join(this.#root, path)
    const text = await readText(file).catch(() => '')
    return text.split('\n').flatMap((line) => {
      const parsed = parseCronLine(line, user)
      if (parsed === undefined) return []
      // The same whether enabled or disabled; different when the line is edited.
      const digest = createHash('sha256').update(line.replace(offMark, '')).digest('hex').slice(0, 8)
      const { enabled, schedule, command } = parsed
      const name = command.length > 80 ? `${command.slice(0, 79)}…` : command
      const common = { nextRunAt: enabled ? momentAfterNow(schedule) : null, lastRunAt: null, kind: 'cron' as const }
      const task = { path: `cron:${path}:${digest}`, name, enabled, schedule, user: parsed.user, command, ...common }
      return [{ task, file, line }]
    })
  }

  async #scripts(): Promise<CronTask[]> {
    const lists = Object.entries(this.#places.scripts).map(async ([folder, schedule]) => {
      const names = (await namesIn(join(this.#root, folder))).filter((name) => scriptName.test(name))
      return Promise.all(names.map((name) => this.#script(`/${folder}/${name}`, schedule)))
    })
    return (await Promise.all(lists)).flat().filter((task) => task !== undefined)
  }

  async #script(path: string, schedule: string): Promise<CronTask | undefined> {
    const file = join(this.#root, path)
    const found = await stat(file).catch(() => undefined)
    if (found?.isFile() !== true) return undefined
    const task: Task = {
      path: `script:${path}`,
      name: basename(path),
      kind: 'script',
      enabled: (found.mode & 0o111) !== 0,
      schedule,
      user: 'root',
      command: path,
      nextRunAt: null,
      lastRunAt: null,
    }
    return { task, file, line: null }
  }
}

function momentAfterNow(schedule: string): string | null {
  const atMs = nextRun(schedule, Date.now())
  return atMs === null ? null : new Date(atMs).toISOString()
}

/** The system crontab line that runs all scripts of a folder. */
export const lineOf = ({ file }: CronTask, lines: readonly CronTask[]): CronTask | undefined =>
  lines.find(({ task, line }) => {
    const words = line === null ? [] : (task.command ?? '').split(/[\s;)]+/)
    return (
      words.some((word) => /(^|\/)run-parts$/.test(word)) &&
      words.some((word) => dirname(file).endsWith(word) && word.startsWith('/etc/cron.'))
    )
  })

/** A script runs when its folder does. */
function withItsLine(script: CronTask, lines: readonly CronTask[]): Task {
  const line = lineOf(script, lines)
  return script.task.enabled && line !== undefined ? { ...script.task, nextRunAt: line.task.nextRunAt } : script.task
}

interface CronLine {
  enabled: boolean
  schedule: string
  user: string
  command: string
}

/** Parses one crontab line; undefined for comments, settings and invalid lines. @param user owner of the crontab, null where the line names it */
export function parseCronLine(text: string, user: string | null): CronLine | undefined {
  const enabled = !text.startsWith(offMark)
  const line = (enabled ? text : text.slice(offMark.length)).trim()
  if (line === '' || line.startsWith('#') || /^\w+\s*=/.test(line)) return undefined
  const words = line.split(/\s+/)
  const isNickname = nicknames.has(words[0] ?? '')
  const times = isNickname ? 1 : 5
  const schedule = words.slice(0, times).join(' ')
  if (!isNickname && !/^(?:[\d*,/\-A-Za-z~]+ ){4}[\d*,/\-A-Za-z~]+$/.test(schedule)) return undefined
  const [owner, rest] = user === null ? [words[times] ?? '', words.slice(times + 1)] : [user, words.slice(times)]
  const command = rest.join(' ')
  return command === '' || owner === '' ? undefined : { enabled, schedule, user: owner, command }
}

const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort()

async function readText(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const { size } = await handle.stat()
    if (size > fileBytesMax) throw new ToolFailure('TOO_LARGE', `${file} is too large`)
    return await readFile(handle, 'utf8')
  } finally {
    await handle.close()
  }
}

/** Writes a temporary file and renames it over the old one, with the same owner and permissions. */
async function replace(file: string, text: string): Promise<void> {
  const { mode, uid, gid } = await stat(file)
  // cron ignores names with a dot, if it reads the folder now.
  const draft = join(dirname(file), `.${basename(file)}.muster`)
  try {
    await writeFile(draft, text, { mode: mode & 0o7777, flag: 'wx' })
    await chown(draft, uid, gid)
    await chmod(draft, mode & 0o7777)
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
