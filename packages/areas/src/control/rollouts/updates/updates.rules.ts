import type { UpdateHold } from './updates.contract.ts'

/** What is stored about a device and the current rollout. */
export interface Situation {
  /** Workers could not read the rules. */
  readonly withheld: boolean
  readonly stopped: boolean
  readonly rolloutState: 'running' | 'paused' | 'halted' | null
  readonly isOlder: boolean
  readonly isBuilt: boolean
  readonly autoUpdate: boolean
  readonly isPinned: boolean
  readonly isReached: boolean
  /** A maintenance window holds updates back. */
  readonly isInMaintenance: boolean
  readonly isOnline: boolean
  readonly isBarred: boolean
  /** Of the rolled out version; null if it was not offered yet. */
  readonly state: string | null
}

const busy = new Set(['downloading', 'verifying', 'installing', 'restarting'])

/** The first reason that holds a device back, in the order in which a technician resolves them. */
export function holdOf(given: Situation): UpdateHold {
  if (given.rolloutState === null) return 'no_rollout'
  if (!given.isOlder) return 'up_to_date'
  if (given.stopped) return 'stopped'
  if (!given.isBuilt) return 'no_executable'
  if (!given.autoUpdate) return 'auto_update_off'
  if (given.isPinned) return 'pinned'
  if (given.state === 'rolled_back' || given.state === 'refused') return given.state
  if (given.isBarred) return 'barred'
  if (given.state !== null && busy.has(given.state)) return 'in_progress'
  if (given.rolloutState !== 'running') return given.rolloutState === 'paused' ? 'rollout_paused' : 'rollout_halted'
  if (given.withheld) return 'unknown'
  if (!given.isReached) return 'not_reached_yet'
  if (given.isInMaintenance) return 'maintenance'
  if (!given.isOnline) return 'offline'
  return 'offered'
}

/** The explanation of each reason for users. */
export const holdWords: Readonly<Record<UpdateHold, string>> = {
  stopped: 'All updates are stopped',
  no_rollout: 'No rollout is active',
  rollout_paused: 'The rollout is paused',
  rollout_halted: 'The rollout has stopped itself because devices failed; a person has to let it go on',
  up_to_date: 'It runs this version or a newer one',
  no_executable: 'There is no executable of this version for its system',
  auto_update_off: 'Updates are turned off for this device',
  pinned: 'Its group, site or organization is pinned to another version',
  not_reached_yet: 'The rollout has not reached this device yet',
  maintenance: 'A maintenance window holds updates back',
  offline: 'It gets the version when it is connected',
  barred: 'This version failed on this device before and is not tried again',
  refused: 'The agent refused this version',
  rolled_back: 'The agent went back to the version before',
  in_progress: 'It is updating now',
  offered: 'It was offered the version, or will be within seconds',
  unknown: 'Whether it may update cannot be told at the moment, so it is not offered anything',
}
