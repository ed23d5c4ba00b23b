import type { Capability, Obstacle, Obstacles } from '@muster/wire/capabilities.ts'

/** The same obstacle for several capabilities. */
export const withoutAll = (obstacle: Obstacle, names: readonly Capability[]): Obstacles =>
  Object.fromEntries(names.map((name) => [name, obstacle]))

export const powerCommands: readonly Capability[] = ['reboot', 'shutdown']
const serviceChanges: readonly Capability[] = ['start_service', 'stop_service', 'restart_service']
const taskChanges: readonly Capability[] = ['run_task', 'enable_task', 'disable_task']
export const serviceCommands: readonly Capability[] = ['list_services', 'get_service', ...serviceChanges]

/** What only root or an administrator may do. */
export const withoutAdministrator = withoutAll('NOT_PERMITTED', [...powerCommands, ...serviceChanges, ...taskChanges])
