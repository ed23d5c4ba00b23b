import { z } from 'zod'

export const registryCommands = [
  'list_registry_keys',
  'list_registry_values',
  'get_registry_value',
  'set_registry_value',
  'delete_registry_value',
  'create_registry_key',
  'delete_registry_key',
] as const

/**
 * Everything that agents may be able to do: commands, the languages of scripts, scripts for the signed-in user or a named one,
 * and scripts with secrets. The order is that of the characters on the wire, so new names are appended and none is ever removed.
 */
export const capabilityNames = [
  'refresh_inventory',
  'run_script',
  'set_auto_update',
  'reboot',
  'shutdown',
  'list_processes',
  'get_process',
  'kill_process',
  'list_services',
  'get_service',
  'start_service',
  'stop_service',
  'restart_service',
  'list_files',
  'read_file',
  'write_file',
  'list_event_logs',
  'get_event_log',
  'list_events',
  'get_event',
  'list_tasks',
  'get_task',
  'get_task_history',
  'run_task',
  'enable_task',
  'disable_task',
  ...registryCommands,
  'script:bash',
  'script:sh',
  'script:zsh',
  'script:python',
  'script:powershell',
  'script:cmd',
  'script:osascript',
  'run_as_user',
  'run_check',
  'watch_facts',
  'run_as_named_user',
  'secrets',
] as const
export type Capability = (typeof capabilityNames)[number]

/** Why an agent cannot do something. */
export const obstacles = ['UNSUPPORTED_PLATFORM', 'MISSING_TOOL', 'NOT_PERMITTED'] as const
export type Obstacle = (typeof obstacles)[number]
export type Obstacles = Readonly<Partial<Record<Capability, Obstacle>>>

const able = '+'
/** The character of each obstacle. */
const characters: Readonly<Record<Obstacle, string>> = {
  UNSUPPORTED_PLATFORM: 'p',
  MISSING_TOOL: 't',
  NOT_PERMITTED: 'n',
}
const byCharacter = new Map(obstacles.map((obstacle) => [characters[obstacle], obstacle]))

/** One character for each capability, shorter than a hash of them. Newer agents may append more, and use other letters. */
export const Capabilities = z.string().regex(/^[+a-z]{1,255}$/)

/** Writes capabilities for the wire: all except those with an obstacle. */
export function encodeCapabilities(lacks: Obstacles): string {
  return capabilityNames
    .map((name) => {
      const obstacle = lacks[name]
      return obstacle === undefined ? able : characters[obstacle]
    })
    .join('')
}

/** Why an agent cannot do something; null if it can, undefined if it is older than this capability. */
export function obstacleIn(capabilities: string, name: Capability): Obstacle | null | undefined {
  const character = capabilities[capabilityNames.indexOf(name)]
  if (character === undefined) return undefined
  if (character === able) return null
  // A reason of a newer agent: it cannot, and this server does not know the reason.
  return byCharacter.get(character) ?? 'UNSUPPORTED_PLATFORM'
}
