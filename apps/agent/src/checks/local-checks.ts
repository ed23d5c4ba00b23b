// Checks of this machine.
import { statfs } from 'node:fs/promises'
import { eventsMax } from '@muster/wire/commands/event-logs.ts'
import type { Tools } from '../platform/tools.ts'
import { ToolFailure } from '../tool-failure.ts'
import type { Checkers, Finding } from './check.ts'

const ok: Finding = { state: 'ok' }
const failed = (text: string, value?: number): Finding => ({
  state: 'failed',
  text,
  ...(value !== undefined && { value }),
})

export function localCheckers({ services, processes, eventLogs }: Tools): Checkers {
  return {
    async service({ name }) {
      try {
        const { state } = await services.detail(name)
        return state === 'running' || state === 'active' ? ok : failed(`the service ${name} is ${state}`)
      } catch (error) {
        if (error instanceof ToolFailure && error.code === 'NOT_FOUND') return failed(`there is no service ${name}`)
        throw error
      }
    },

    async process({ name, min, max }) {
      const wanted = name.toLowerCase()
      const { processes: all } = await processes.list()
      const count = all.filter((each) => each.name.toLowerCase() === wanted).length
      if (count < min) return failed(`${count} processes ${name} are running, fewer than ${min}`, count)
      if (max !== undefined && count > max)
        return failed(`${count} processes ${name} are running, more than ${max}`, count)
      return { ...ok, value: count }
    },

    async disk({ mount, freePercent }) {
      const { blocks, bavail } = await statfs(mount)
      if (blocks === 0) throw new Error(`${mount} has no size`)
      const free = (100 * bavail) / blocks
      const value = Math.round(free * 10) / 10
      return free < freePercent
        ? failed(`${mount} has ${value} % free, less than ${freePercent} %`, value)
        : { ...ok, value }
    },

    async eventLog({ log, text, count, windowSeconds }) {
      const since = new Date(Date.now() - windowSeconds * 1_000).toISOString()
      const { events } = await eventLogs.events({ name: log, search: text, since, limit: Math.min(count, eventsMax) })
      const found = events.length
      return found >= count ? failed(`${log} has ${found} entries with this text`, found) : { ...ok, value: found }
    },
  }
}
