// What an area does when devices change, declared by the area that it belongs to.
import type { Db } from '@muster/db/database.ts'
import type { Log } from '@muster/kit/log.ts'
import type pg from 'pg'

/**
 * What changed about a device: fields of filters, sections of inventories, or
 * `place` (organization, site, system or life cycle), `custom` (custom fields), `state` (what heartbeats report) and `facts`.
 */
export interface DeviceChange {
  readonly deviceId: string
  readonly orgId: string
  readonly partnerId: string
  readonly fields: ReadonlySet<string>
}

/** Null for all organizations of the partner. */
export interface StateOwner {
  readonly partnerId: string
  readonly orgId: string | null
}

export interface FollowingParts {
  /** Of the system login. */
  readonly pool: pg.Pool
  readonly log: Log
}

export interface ChangeFollower {
  /** In logs. */
  readonly name: string
  /** Of whose devices it follows the states. Those of others are not read, because they change with each heartbeat. */
  stateOwners?(db: Db): Promise<readonly StateOwner[]>
  /** Must be safe to run twice for a change: a worker may die, or another follower fail. It gets the changes again if it fails. */
  follow(parts: FollowingParts, changes: readonly DeviceChange[]): Promise<unknown>
}

export const changeFollower = (declared: ChangeFollower): ChangeFollower => declared
