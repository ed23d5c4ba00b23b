import { type Service, type ServiceDetail, servicesShownMax } from '@muster/wire/commands/services.ts'
import { ToolFailure } from '../../tool-failure.ts'
import type { ServiceTools } from '../tools.ts'
import { parseUnits } from './services.ts'
import { type Host, momentOf, parseShow, systemctl } from './systemd.ts'

const listing = ['--type=service', '--all', '--plain', '--no-legend', '--full']
const shown = [
  'Id',
  'Description',
  'LoadState',
  'ActiveState',
  'SubState',
  'UnitFileState',
  'MainPID',
  'Result',
  'NRestarts',
  'MemoryCurrent',
  'TasksCurrent',
  'ActiveEnterTimestamp',
  'FragmentPath',
  'ExecStart',
  'User',
  'Requires',
  'After',
]

/** Services of a machine with systemd. */
export function createServiceTools(host: Host): ServiceTools {
  return {
    async list() {
      const units = await systemctl(host, ['list-units', ...listing])
      const files = await systemctl(host, ['list-unit-files', ...listing.filter((word) => word !== '--all')])
      const services = parseUnits(units, files).map(
        ({ name, displayName = null, state = 'unknown', startup = null }): Service => ({
          name,
          displayName,
          state,
          startup,
        }),
      )
      return { services: services.slice(0, servicesShownMax), truncated: services.length > servicesShownMax }
    },

    async detail(name) {
      const text = await systemctl(host, ['show', `--property=${shown.join(',')}`, '--', unitOf(name)])
      return parseService(text, name)
    },

    async control(name, action) {
      const unit = unitOf(name)
      await systemctl(host, [action, '--', unit])
      const text = await systemctl(host, ['show', '--property=ActiveState,SubState', '--', unit])
      return { name, state: stateOf(parseShow(text)[0] ?? {}) }
    },
  }
}

const unitOf = (name: string): string => (name.endsWith('.service') ? name : `${name}.service`)

function stateOf({ ActiveState = 'unknown', SubState = '' }: Record<string, string>): string {
  return ActiveState === 'active' && SubState !== '' ? SubState : ActiveState
}

/** A number from systemd, which writes the largest integer or a word for an unknown one. */
function numberOf(text: string | undefined): number | null {
  const value = Number(text)
  return text === undefined || !/^\d+$/.test(text) || value > Number.MAX_SAFE_INTEGER ? null : value
}

/** Parses `systemctl show` for one service. @throws ToolFailure when it does not exist */
export function parseService(text: string, name: string): ServiceDetail {
  const [unit] = parseShow(text)
  if (unit === undefined || unit.LoadState === 'not-found')
    throw new ToolFailure('NOT_FOUND', `Service ${name} not found`)
  const orNull = (value: string | undefined) => (value === undefined || value === '' ? null : value)
  const words = (value = '') => value.split(' ').filter(Boolean)
  const pid = numberOf(unit.MainPID)
  return {
    name: (unit.Id ?? name).replace(/\.service$/, ''),
    displayName: orNull(unit.Description),
    state: stateOf(unit),
    startup: orNull(unit.UnitFileState),
    mainPid: pid === 0 ? null : pid,
    result: orNull(unit.Result),
    restarts: numberOf(unit.NRestarts),
    memoryBytes: numberOf(unit.MemoryCurrent),
    tasks: numberOf(unit.TasksCurrent),
    activeSince: momentOf(unit.ActiveEnterTimestamp),
    unitFile: orNull(unit.FragmentPath),
    command: orNull(/argv\[\]=(.*?) ; /.exec(unit.ExecStart ?? '')?.[1]),
    user: orNull(unit.User),
    requires: words(unit.Requires),
    after: words(unit.After),
  }
}
