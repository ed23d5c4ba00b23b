import {
  type Event,
  EventDetail,
  EventList,
  type EventLog,
  EventLogDetail,
  EventLogList,
  GetEvent,
  GetEventLog,
  ListEventLogs,
  ListEvents,
} from '@muster/wire/commands/event-logs.ts'
import { Chance } from '../chance.ts'
import type { Machine } from '../machine.ts'
import { Refusal, type Tools, tool } from './tool.ts'

type System = Machine['platform']['osType']
type Line = readonly [level: Event['level'], source: string, message: string]

/** An event every few minutes, for the last days. */
const spacingMs = 420_000
const eventsKept = 2_000

const lines: Readonly<Record<System, readonly [Line, ...Line[]]>> = {
  windows: [
    ['info', 'Service Control Manager', 'The Windows Update service entered the running state.'],
    ['info', 'Microsoft-Windows-Kernel-General', 'The system time has changed.'],
    ['warning', 'Microsoft-Windows-DNS-Client', 'Name resolution for the name wpad timed out.'],
    ['error', 'Service Control Manager', 'The Print Spooler service terminated unexpectedly.'],
    ['info', 'Microsoft-Windows-WindowsUpdateClient', 'Installation successful: Security Intelligence Update.'],
    ['warning', 'Microsoft-Windows-Time-Service', 'The time provider has not received a response for 8 attempts.'],
  ],
  linux: [
    ['info', 'systemd', 'Started logrotate.service - Rotate log files.'],
    ['info', 'CRON', '(root) CMD (test -x /usr/sbin/anacron)'],
    ['info', 'sshd', 'Accepted publickey for deploy from 10.20.4.17 port 50122 ssh2'],
    ['warning', 'kernel', 'TCP: request_sock_TCP: Possible SYN flooding on port 443.'],
    ['error', 'nginx', 'connect() failed (111: Connection refused) while connecting to upstream'],
  ],
  macos: [
    ['info', 'com.apple.powerd', 'Wake reason: UserActivity'],
    ['info', 'com.apple.softwareupdated', 'Scan finished: no updates'],
    ['warning', 'com.apple.wifi', 'Link quality is low'],
    ['error', 'com.apple.backupd', 'Backup failed: the destination is not available'],
  ],
}
const logs: Readonly<Record<System, readonly Pick<EventLog, 'name' | 'source'>[]>> = {
  windows: [
    { name: 'System', source: 'channel' },
    { name: 'Application', source: 'channel' },
    { name: 'Security', source: 'channel' },
    { name: 'Microsoft-Windows-WindowsUpdateClient/Operational', source: 'channel' },
  ],
  linux: [
    { name: 'journal', source: 'journal' },
    { name: 'syslog', source: 'file' },
  ],
  macos: [
    { name: 'unified', source: 'journal' },
    { name: 'system.log', source: 'file' },
  ],
}
const severity = ['emergency', 'alert', 'critical', 'error', 'warning', 'notice', 'info', 'debug']

/** The event logs of a simulated machine: the same events at every look, with new ones as time passes. */
export class EventLogs {
  readonly #machine: Machine

  constructor(machine: Machine) {
    this.#machine = machine
  }

  get tools(): Tools {
    return {
      list_event_logs: tool(ListEventLogs, EventLogList, (_, now) => ({
        logs: this.#logs.map((log) => this.#described(log, now)),
        truncated: false,
      })),
      get_event_log: tool(GetEventLog, EventLogDetail, ({ name }, now) => {
        const newest = Math.floor(now / spacingMs)
        const at = (number: number) => new Date(number * spacingMs).toISOString()
        return { ...this.#described(this.#find(name), now), firstAt: at(newest - eventsKept), lastAt: at(newest) }
      }),
      list_events: tool(ListEvents, EventList, (asked, now) => {
        const { name } = this.#find(asked.name)
        const newest = asked.before === undefined ? Math.floor(now / spacingMs) : Number(asked.before) - 1
        const oldest = Math.floor(now / spacingMs) - eventsKept
        const events: Event[] = []
        let number = newest
        for (; number > oldest && events.length < asked.limit; number--) {
          const event = this.#event(name, number)
          if (matches(event, asked)) events.push(event)
        }
        return { events, nextBefore: number > oldest ? String(number + 1) : null }
      }),
      get_event: tool(GetEvent, EventDetail, ({ name, recordId }) => {
        const number = Number(recordId)
        if (!Number.isInteger(number)) throw new Refusal('NOT_FOUND', `there is no event ${recordId}`)
        const event = this.#event(this.#find(name).name, number)
        return { ...event, fields: { Channel: name, Computer: this.#machine.inventory.facts.hostname } }
      }),
    }
  }

  get #logs() {
    return logs[this.#machine.platform.osType]
  }

  #find(name: string): Pick<EventLog, 'name' | 'source'> {
    const found = this.#logs.find((log) => log.name.toLowerCase() === name.toLowerCase())
    if (found === undefined) throw new Refusal('NOT_FOUND', `there is no event log ${name}`)
    return found
  }

  #described(log: Pick<EventLog, 'name' | 'source'>, now: number): EventLog {
    const modifiedAt = new Date(Math.floor(now / spacingMs) * spacingMs).toISOString()
    return { ...log, sizeBytes: log.source === 'journal' ? null : 20 * 2 ** 20, modifiedAt }
  }

  #event(log: string, number: number): Event {
    const { index, platform } = this.#machine
    const chance = new Chance(`event ${index} ${log} ${number}`)
    const [level, source, message] = chance.pick(lines[platform.osType])
    const at = new Date(number * spacingMs).toISOString()
    return { recordId: String(number), at, level, source, pid: chance.whole(400, 20_000), message }
  }
}

function matches(event: Event, { level, search, source, since, until }: ReturnType<typeof ListEvents.parse>): boolean {
  const at = Date.parse(event.at ?? '')
  return (
    (level === undefined || severity.indexOf(event.level ?? 'debug') <= severity.indexOf(level)) &&
    (search === undefined || event.message.toLowerCase().includes(search.toLowerCase())) &&
    (source === undefined || event.source === source) &&
    (since === undefined || at >= Date.parse(since)) &&
    (until === undefined || at <= Date.parse(until))
  )
}
