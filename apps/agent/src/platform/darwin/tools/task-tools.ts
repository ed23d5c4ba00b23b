import { readFile } from 'node:fs/promises'
import { type Task, tasksMax } from '@muster/wire/commands/tasks.ts'
import { ToolFailure } from '../../../tool-failure.ts'
import { Cron, type CronPlaces } from '../../posix/cron.ts'
import { type Account, runCronTask } from '../../posix/cron-run.ts'
import type { TaskTools } from '../../tools.ts'
import { type Daemon, daemonNamed, daemonsWith } from '../launchd/daemons.ts'
import { taskOf } from '../launchd/launch-schedule.ts'
import { launchctl } from '../launchd/launchctl.ts'
import { parseDisabled } from '../launchd/launchctl-output.ts'
import { microsOf, quoted, showLog } from '../log/log-show.ts'
import { type Mac, printed } from '../mac.ts'
import { readPlist } from '../plist.ts'

const scheduleKeys = ['StartInterval', 'StartCalendarInterval']
const places: CronPlaces = { spools: ['private/var/at/tabs'], scripts: {} }
const definitionCharsMax = 32_000
const historyMs = 24 * 3_600_000
const historyTimeoutMs = 25_000

/** Services that launchd runs on a schedule, and the lines of crontabs. */
export function createTaskTools(mac: Mac): TaskTools {
  const cron = new Cron(mac.root, places)
  const labelIn = (path: string) => /^timer:([^/-][^/]*)$/.exec(path)?.[1]
  const scheduled = async (label: string): Promise<Daemon> => {
    const daemon = await daemonNamed(mac, label)
    if (daemon === undefined || !isScheduled(daemon)) throw new ToolFailure('NOT_FOUND', 'Task not found')
    return daemon
  }

  return {
    async list() {
      const isEnabled = await enablement(mac)
      const daemons = (await daemonsWith(mac, scheduleKeys)).filter(isScheduled)
      const lines = (await cron.all()).map(({ task }) => task)
      const tasks: Task[] = [...daemons.map((daemon) => taskOf(daemon, isEnabled(daemon))), ...lines]
      return { tasks: tasks.slice(0, tasksMax), truncated: tasks.length > tasksMax }
    },

    async detail(path) {
      const label = labelIn(path)
      if (label === undefined) {
        const { task, line } = await cron.find(path)
        return { ...task, description: null, definition: line ?? '' }
      }
      const daemon = await scheduled(label)
      const definition = await definitionOf(mac, daemon)
      return { ...taskOf(daemon, (await enablement(mac))(daemon)), description: null, definition }
    },

    async history({ path, limit }) {
      const label = labelIn(path)
      if (label === undefined) {
        await cron.find(path)
        return { runs: [], unavailable: 'cron of macOS keeps no history of its runs' }
      }
      await scheduled(label)
      return readRuns(mac, label, limit)
    },

    async run(path) {
      const label = labelIn(path)
      if (label === undefined) await runCronTask(await cron.find(path), (user) => accountOf(mac, user))
      else await launchctl(mac, ['kickstart', `system/${(await scheduled(label)).Label}`])
      return { path, started: true }
    },

    async switch(path, enabled) {
      const label = labelIn(path)
      if (label === undefined) await cron.switch(await cron.find(path), enabled)
      else await switchDaemon(mac, await scheduled(label), enabled)
      return { path, enabled }
    },
  }
}

const isScheduled = ({ StartInterval, StartCalendarInterval }: Daemon) =>
  StartInterval !== undefined || StartCalendarInterval !== undefined

/** launchd's own list counts before the key in the property list. */
async function enablement(mac: Mac): Promise<(daemon: Daemon) => boolean> {
  const disabled = parseDisabled(await printed(mac, 'launchctl', ['print-disabled', 'system']))
  return ({ Label, Disabled = false }) => !(disabled.get(Label) ?? Disabled)
}

/** `enable` and `disable` count from the next load on, so the service is loaded or unloaded as well. */
async function switchDaemon(mac: Mac, { Label, file }: Daemon, enabled: boolean): Promise<void> {
  await launchctl(mac, [enabled ? 'enable' : 'disable', `system/${Label}`])
  const isLoaded = await launchctl(mac, ['print', `system/${Label}`]).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ToolFailure && error.code === 'NOT_FOUND') return false
      throw error
    },
  )
  if (enabled && !isLoaded) await launchctl(mac, ['bootstrap', 'system', file])
  if (!enabled && isLoaded) await launchctl(mac, ['bootout', `system/${Label}`])
}

/** A binary property list is shown as launchd understands it. */
async function definitionOf(mac: Mac, { file }: Daemon): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const shown = text.startsWith('bplist') ? JSON.stringify(await readPlist(mac, file), null, 2) : text
  return (shown ?? '').slice(0, definitionCharsMax)
}

/** What launchd logged about the starts of a service in the last day. */
async function readRuns(mac: Mac, label: string, limit: number) {
  const words = [
    'process == "launchd"',
    `eventMessage CONTAINS ${quoted(`system/${label} `)}`,
    'eventMessage CONTAINS "spawned"',
  ]
  const nowMs = Date.now()
  const span = {
    ...{ fromMs: nowMs - historyMs, toMs: nowMs, predicate: words.join(' AND '), flags: ['--info'] },
    accepts: () => true,
  }
  const found = await showLog(mac, span, limit, historyTimeoutMs).catch(() => undefined)
  if (found === undefined) return { runs: [], unavailable: 'The log of this Mac could not be searched in time' }
  const runs = found.lines.flatMap(({ timestamp, eventMessage }) => {
    const micros = microsOf(timestamp)
    return micros === null ? [] : [{ at: new Date(micros / 1000).toISOString(), message: eventMessage ?? '' }]
  })
  return { runs: runs.reverse(), unavailable: null }
}

/** An account of the directory, for the user of a crontab. */
async function accountOf(mac: Mac, user: string): Promise<Account> {
  const keys = ['UniqueID', 'PrimaryGroupID', 'NFSHomeDirectory']
  const text = /^[\w.-]+$/.test(user) ? await printed(mac, 'dscl', ['.', '-read', `/Users/${user}`, ...keys]) : ''
  const field = (name: string) => new RegExp(`^${name}:\\s*(.*\\S)`, 'm').exec(text)?.[1]
  const [uid, gid] = [Number(field('UniqueID')), Number(field('PrimaryGroupID'))]
  if (!Number.isInteger(uid) || !Number.isInteger(gid)) throw new ToolFailure('NOT_FOUND', `there is no user ${user}`)
  return { user, uid, gid, home: field('NFSHomeDirectory') ?? '/' }
}
