import { type Capability, capabilitiesOf, inabilityOf } from '../../../fleet/devices/state/capabilities.rules.ts'
import type { Target } from '../commands.queries.ts'

type Machine = Pick<Target, 'osType' | 'capabilities'>

const systemNames: Readonly<Record<string, string>> = { linux: 'Linux', windows: 'Windows', macos: 'macOS' }
const serviceManagers: Readonly<Record<string, string>> = { linux: 'systemd', macos: 'launchctl' }
const script = 'script:'

/** What a device lacks for a command, and the way out; undefined if neither its system nor a missing program is the reason. */
export function inabilityWords(machine: Machine, needed: readonly Capability[]): string | undefined {
  const name = needed.find((each) => inabilityOf(machine, each) !== null)
  if (name === undefined) return undefined
  const inability = inabilityOf(machine, name)
  if (inability === 'MISSING_TOOL')
    return `${missing(machine, name)} is not installed on the device. Install it, then refresh the inventory`
  if (inability === 'NOT_PERMITTED' && name.startsWith('run_as'))
    return 'Only an agent that runs as SYSTEM runs scripts as another user. Leave out runAs, or install the agent as a service'
  return inability === 'UNSUPPORTED_PLATFORM' ? unsupported(machine, name) : undefined
}

function missing({ osType }: Machine, name: Capability): string {
  if (name.startsWith(script)) return `The script language ${name.slice(script.length)}`
  if (/^(list|get|start|stop|restart)_services?$/.test(name)) {
    const manager = serviceManagers[osType ?? '']
    if (manager !== undefined) return `${manager}, which ${name} needs,`
  }
  if (name === 'reboot' || name === 'shutdown') return `The program shutdown, which ${name} needs,`
  return `A program that ${name} needs`
}

function unsupported(machine: Machine, name: Capability): string {
  const system = systemNames[machine.osType ?? ''] ?? 'The system of the device'
  if (name === 'run_as_user')
    return `The agent of this device does not run scripts as a user on ${system}. Leave out runAs, or update the agent`
  if (name.includes('_registry_')) return `${system} has no registry. Send ${name} to Windows devices`
  if (!name.startsWith(script)) return `${system} does not support ${name}`
  const languages = capabilitiesOf(machine).available.flatMap((each) =>
    each.startsWith(script) ? [each.slice(script.length)] : [],
  )
  const wayOut = languages.length === 0 ? '' : `. This device runs ${languages.join(', ')}`
  return `${system} does not run ${name.slice(script.length)} scripts${wayOut}`
}
