import { type Service, type ServiceDetail, servicesShownMax } from '@muster/wire/commands/services.ts'
import { ToolFailure } from '../../../tool-failure.ts'
import type { ServiceTools } from '../../tools.ts'
import { daemonNamed } from '../launchd/daemons.ts'
import { launchctl } from '../launchd/launchctl.ts'
import {
  exitCodeOf,
  type Printed,
  parseDisabled,
  parseDomain,
  parseList,
  parseService,
  stateOf,
} from '../launchd/launchctl-output.ts'
import { type Mac, printed } from '../mac.ts'
import { readRows } from '../process-table.ts'

const target = (label: string) => `system/${label}`

/** The services that launchd runs for the system. Those of a user's session are not listed. */
export function createServiceTools(mac: Mac): ServiceTools {
  return {
    async list() {
      const services = await listServices(mac)
      return { services: services.slice(0, servicesShownMax), truncated: services.length > servicesShownMax }
    },

    detail: (name) => detailOf(mac, labelOf(name)),

    async control(name, action) {
      const label = labelOf(name)
      if (action === 'stop') await stop(mac, label)
      else if (action === 'start') await start(mac, label)
      else await restart(mac, label)
      const service = await find(mac, label)
      return { name, state: service === undefined ? 'inactive' : stateOfPrinted(service) }
    },
  }
}

/** launchctl has no mark for the end of its options; no label begins with one. */
function labelOf(name: string): string {
  if (name.startsWith('-') || name.includes('/')) throw new ToolFailure('NOT_FOUND', `Service ${name} not found`)
  return name
}

/** Loaded services, and those that are disabled and therefore not loaded. */
export async function listServices(mac: Mac): Promise<Service[]> {
  const domain = parseDomain(await printed(mac, 'launchctl', ['print', 'system']))
  const loaded = domain.length > 0 ? domain : parseList(await launchctl(mac, ['list']))
  const disabled = parseDisabled(await printed(mac, 'launchctl', ['print-disabled', 'system']))
  const services = new Map<string, Service>(
    [...disabled].flatMap(([label, isDisabled]) => (isDisabled ? [[label, serviceOf(label, 'inactive', true)]] : [])),
  )
  for (const { label, pid, exitCode } of loaded)
    services.set(label, serviceOf(label, stateOf(pid, exitCode), disabled.get(label) === true))
  return [...services.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

const serviceOf = (name: string, state: string, isDisabled: boolean): Service => ({
  name,
  displayName: null,
  state,
  startup: isDisabled ? 'disabled' : 'enabled',
})

async function find(mac: Mac, label: string): Promise<Printed | undefined> {
  const text = await launchctl(mac, ['print', target(label)]).catch((error: unknown) => {
    if (error instanceof ToolFailure && error.code === 'NOT_FOUND') return undefined
    throw error
  })
  return text === undefined ? undefined : parseService(text)
}

const pidOf = ({ fields }: Printed): number | null => Number(fields.get('pid') ?? 0) || null
const stateOfPrinted = (service: Printed) => stateOf(pidOf(service), exitCodeOf(service.fields.get('last exit code')))

async function detailOf(mac: Mac, label: string): Promise<ServiceDetail> {
  const [service, daemon] = [await find(mac, label), await daemonNamed(mac, label)]
  if (service === undefined && daemon === undefined) throw new ToolFailure('NOT_FOUND', `Service ${label} not found`)
  const { fields, arguments: words } = service ?? { fields: new Map<string, string>(), arguments: [] }
  const disabled = parseDisabled(await printed(mac, 'launchctl', ['print-disabled', 'system']))
  const pid = service === undefined ? null : pidOf(service)
  const [process] = pid === null ? [] : await readRows(mac, pid)
  const runs = Number(fields.get('runs') ?? Number.NaN)
  return {
    ...serviceOf(label, service === undefined ? 'inactive' : stateOfPrinted(service), disabled.get(label) === true),
    mainPid: pid,
    result: fields.get('last exit code') ?? null,
    restarts: Number.isInteger(runs) ? Math.max(0, runs - 1) : null,
    memoryBytes: process?.residentBytes ?? null,
    tasks: null,
    activeSince: process?.startedAt ?? null,
    unitFile: fields.get('path') ?? daemon?.file ?? null,
    command: (words.length > 0 ? words.join(' ') : fields.get('program')) ?? null,
    user: fields.get('username') ?? daemon?.UserName ?? null,
    requires: [],
    after: [],
  }
}

/** Loads a service that was stopped or disabled, then runs it. */
async function start(mac: Mac, label: string): Promise<void> {
  if ((await find(mac, label)) === undefined) await load(mac, label)
  await launchctl(mac, ['kickstart', target(label)])
}

export async function load(mac: Mac, label: string): Promise<void> {
  const daemon = await daemonNamed(mac, label)
  if (daemon === undefined) throw new ToolFailure('NOT_FOUND', `Service ${label} not found`)
  await launchctl(mac, ['bootstrap', 'system', daemon.file])
}

/** A service that launchd keeps alive would start again at once, so it is unloaded until its next start or the next boot. */
async function stop(mac: Mac, label: string): Promise<void> {
  const service = await find(mac, label)
  if (service === undefined) throw new ToolFailure('NOT_FOUND', `Service ${label} is not loaded`)
  const isKeptAlive = /\bkeepalive\b/.test(service.fields.get('properties') ?? '')
  if (isKeptAlive) await launchctl(mac, ['bootout', target(label)])
  else if (pidOf(service) !== null) await launchctl(mac, ['kill', 'SIGTERM', target(label)])
}

async function restart(mac: Mac, label: string): Promise<void> {
  if ((await find(mac, label)) === undefined) await start(mac, label)
  else await launchctl(mac, ['kickstart', '-k', target(label)])
}
