import { type Capability, capabilityNames, type Obstacle, obstacleIn } from '@muster/wire/capabilities.ts'

export type { Capability } from '@muster/wire/capabilities.ts'

type LanguageOf<Name> = Name extends `script:${infer Language}` ? Language : never
/** A script language. */
export type Language = LanguageOf<Capability>
type System = 'linux' | 'windows' | 'macos'
/** Why a device cannot do something. */
export type Inability = Obstacle | 'AGENT_TOO_OLD'

const unix = ['linux', 'macos'] as const
const windows = ['windows'] as const

/** The operating systems that have something which others lack: for agents that do not say what they can do. */
const systems: Readonly<Partial<Record<Capability, readonly System[]>>> = {
  list_registry_keys: windows,
  list_registry_values: windows,
  get_registry_value: windows,
  set_registry_value: windows,
  delete_registry_value: windows,
  create_registry_key: windows,
  delete_registry_key: windows,
  'script:bash': unix,
  'script:sh': unix,
  'script:zsh': unix,
  'script:powershell': ['windows', 'linux'],
  'script:cmd': windows,
  'script:osascript': ['macos'],
  run_as_user: windows,
}

interface Told {
  readonly osType: string | null
  /** As the agent said it when it last connected; null if it said nothing. */
  readonly capabilities: string | null
}

/** Why a device cannot do something; null if it can, or if that is unknown. */
export function inabilityOf({ osType, capabilities }: Told, name: Capability): Inability | null {
  if (capabilities !== null) {
    const obstacle = obstacleIn(capabilities, name)
    return obstacle === undefined ? 'AGENT_TOO_OLD' : obstacle
  }
  const having: readonly string[] | undefined = systems[name]
  return having === undefined || osType === null || having.includes(osType) ? null : 'UNSUPPORTED_PLATFORM'
}

/** Everything that a device can and cannot do, by name. */
export function capabilitiesOf(device: Told) {
  const available: string[] = []
  const unavailable: Record<string, Inability> = {}
  for (const name of capabilityNames) {
    const inability = inabilityOf(device, name)
    if (inability === null) available.push(name)
    else unavailable[name] = inability
  }
  return { reported: device.capabilities !== null, available, unavailable }
}
