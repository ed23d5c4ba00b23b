import { readdir } from 'node:fs/promises'
import type { SystemService } from '@muster/wire/messages/inventory.ts'
import { outputOf } from './tool.ts'

const listing = ['--type=service', '--all', '--plain', '--no-legend', '--no-pager', '--full']

/** The systemd services, or without systemd the names of the scripts in /etc/init.d. */
export async function collectServices(): Promise<SystemService[]> {
  const units = await outputOf('systemctl', ['list-units', ...listing])
  if (units === undefined) return collectInitScripts()
  const files = await outputOf('systemctl', ['list-unit-files', ...listing])
  return parseUnits(units, files ?? '')
}

/** Joins `list-units` (running state) with `list-unit-files` (startup). */
export function parseUnits(units: string, files: string): SystemService[] {
  const startup = new Map(
    lines(files).flatMap((line) => {
      const [unit, state] = line.split(/\s+/)
      return unit === undefined || state === undefined ? [] : [[unit, state]]
    }),
  )
  return lines(units).flatMap((line) => {
    const [unit, load, active, sub, ...description] = line.split(/\s+/)
    if (unit === undefined || load === 'not-found' || active === undefined) return []
    return [
      {
        name: unit.replace(/\.service$/, '').slice(0, 255),
        displayName: description.join(' ').slice(0, 255) || undefined,
        state: active === 'active' ? (sub ?? active).slice(0, 32) : active.slice(0, 32),
        startup: startup.get(unit)?.slice(0, 32),
      },
    ]
  })
}

async function collectInitScripts(): Promise<SystemService[]> {
  const names = await readdir('/etc/init.d').catch(() => [])
  return names
    .filter((name) => name !== 'README' && !name.startsWith('.'))
    .sort()
    .map((name) => ({ name: name.slice(0, 255) }))
}

// Some versions mark a failed unit with a dot before its name.
function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/^[●*\s]+/, '').trim())
    .filter((line) => line !== '')
}
