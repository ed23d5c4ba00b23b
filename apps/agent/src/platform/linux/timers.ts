import type { Task } from '@muster/wire/commands/tasks.ts'
import { ToolFailure } from '../../tool-failure.ts'
import { type Host, isSystemd, momentOf, parseShow, systemctl } from './systemd.ts'

const shown = [
  'Id',
  'Description',
  'LoadState',
  'ActiveState',
  'UnitFileState',
  'Unit',
  'Triggers',
  'TimersCalendar',
  'TimersMonotonic',
  'NextElapseUSecRealtime',
  'LastTriggerUSec',
]
const timerName = /^[A-Za-z0-9:_.@\\][A-Za-z0-9:_.@\\-]*\.timer$/

/** systemd timers. None without systemd. */
export class Timers {
  readonly #host: Host

  constructor(host: Host) {
    this.#host = host
  }

  async all(): Promise<Task[]> {
    if (!(await isSystemd(this.#host))) return []
    const files = await systemctl(this.#host, ['list-unit-files', '--type=timer', '--plain', '--no-legend', '--full'])
    const units = await systemctl(this.#host, [
      'list-units',
      '--type=timer',
      '--all',
      '--plain',
      '--no-legend',
      '--full',
    ])
    const names = new Set(
      `${files}\n${units}`.split('\n').flatMap((line) => {
        const name = line.replace(/^[●*\s]+/, '').split(/\s+/)[0] ?? ''
        // A template without an instance name is not a timer.
        return timerName.test(name) && !name.endsWith('@.timer') ? [name] : []
      }),
    )
    if (names.size === 0) return []
    return parseTimers(await this.#show([...names].sort()))
  }

  /** @throws ToolFailure when there is no such timer */
  async find(name: string): Promise<{ task: Task; unit: string; description: string | null; definition: string }> {
    if (!timerName.test(name)) throw new ToolFailure('NOT_FOUND', 'Task not found')
    const text = await this.#show([name])
    const [task] = parseTimers(text)
    const [fields = {}] = parseShow(text)
    if (task === undefined) throw new ToolFailure('NOT_FOUND', 'Task not found')
    const definition = await systemctl(this.#host, ['cat', '--', name]).catch(() => '')
    return { task, unit: unitOf(fields), description: fields.Description || null, definition }
  }

  async switch(name: string, enabled: boolean): Promise<void> {
    await systemctl(this.#host, [enabled ? 'enable' : 'disable', '--now', '--', name])
  }

  async run(unit: string): Promise<void> {
    await systemctl(this.#host, ['start', '--no-block', '--', unit])
  }

  async #show(names: readonly string[]): Promise<string> {
    const properties = `--property=${shown.join(',')}`
    // Older versions cannot print times as numbers; theirs are parsed as text.
    return systemctl(this.#host, ['show', '--timestamp=unix', properties, '--', ...names]).catch((error: unknown) => {
      if (error instanceof ToolFailure && error.code === 'NO_SERVICE_MANAGER') throw error
      return systemctl(this.#host, ['show', properties, '--', ...names])
    })
  }
}

const unitOf = ({ Unit, Triggers, Id = '' }: Record<string, string>): string =>
  Unit || Triggers || Id.replace(/\.timer$/, '.service')

/** Parses `systemctl show` for timers; missing ones are skipped. */
export function parseTimers(text: string): Task[] {
  return parseShow(text).flatMap((unit) => {
    const { Id = '', LoadState, ActiveState, UnitFileState = '' } = unit
    if (Id === '' || LoadState === 'not-found') return []
    return [
      {
        path: `timer:${Id}`,
        name: Id.replace(/\.timer$/, ''),
        kind: 'timer' as const,
        enabled: ActiveState === 'active' || UnitFileState.startsWith('enabled'),
        schedule: scheduleOf(unit),
        user: null,
        command: unitOf(unit),
        nextRunAt: momentOf(unit.NextElapseUSecRealtime),
        lastRunAt: momentOf(unit.LastTriggerUSec),
      },
    ]
  })
}

/** In `{ OnCalendar=*-*-* 00:00:00 ; next_elapse=… }` the schedule is before the semicolon. */
function scheduleOf({ TimersCalendar = '', TimersMonotonic = '' }: Record<string, string>): string | null {
  const rules = [...`${TimersCalendar} ${TimersMonotonic}`.matchAll(/\{ (On\w+?)(?:USec)?=([^;]+?) ;/g)].map(
    ([, name = '', value = '']) => (name === 'OnCalendar' ? value : `${name}=${value}`),
  )
  return rules.length === 0 ? null : rules.join('; ')
}
