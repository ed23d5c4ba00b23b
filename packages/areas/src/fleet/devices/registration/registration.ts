// Creates and updates devices for enrollment, which decides who may enroll.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { emit } from '../../../platform/events/index.ts'
import { deviceEnrolled } from '../devices-events.contract.ts'

/** What a machine reports about itself when it enrolls. */
export interface Machine {
  readonly hostname: string
  readonly osType: 'linux' | 'windows' | 'macos'
  readonly osName: string | null
  readonly osVersion: string | null
  readonly architecture: string
  readonly agentVersion: string
  readonly machineId: string | null
  /** The raw Ed25519 key, base64url. */
  readonly publicKey: string
}

export interface Registered {
  readonly id: string
  readonly orgId: string
  readonly partnerId: string
  readonly siteId: string | null
  readonly keyGeneration: number
}
const registeredColumns = ['id', 'orgId', 'partnerId', 'siteId', 'keyGeneration'] as const

/** Locks out other registrations of this key in this organization until the transaction ends. */
export async function lockMachine(db: Db, orgId: string, publicKey: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${orgId} ${publicKey}`}, 0))`.execute(db)
}

/** The device that this machine enrolled as before: with the same key, and the same or no machine ID. */
export const findRegistered = (
  db: Db,
  orgId: string,
  { publicKey, machineId }: Pick<Machine, 'publicKey' | 'machineId'>,
): Promise<Registered | undefined> =>
  db
    .selectFrom('devices')
    .select(registeredColumns)
    .where('orgId', '=', orgId)
    .where('publicKey', '=', publicKey)
    .where('machineId', 'is not distinct from', machineId)
    .where('lifecycle', 'in', ['active', 'quarantined'])
    .orderBy('createdAt')
    .limit(1)
    .executeTakeFirst()

/** Other devices of the organization with the same machine ID. */
export async function findTwins(db: Db, { id, orgId }: Registered, machineId: string | null): Promise<string[]> {
  if (machineId === null) return []
  const twins = await db
    .selectFrom('devices')
    .select('id')
    .where('orgId', '=', orgId)
    .where('machineId', '=', machineId)
    .where('id', '<>', id)
    .where('lifecycle', 'in', ['active', 'quarantined'])
    .orderBy('createdAt')
    .limit(10)
    .execute()
  return twins.map((twin) => twin.id)
}

/** The key of a device of this organization, locked until the transaction ends. */
export const keyOf = (
  db: Db,
  orgId: string,
  id: string,
): Promise<{ publicKey: string | null; lifecycle: string } | undefined> =>
  db
    .selectFrom('devices')
    .select(['publicKey', 'lifecycle'])
    .where('id', '=', id)
    .where('orgId', '=', orgId)
    .where('lifecycle', 'in', ['active', 'quarantined'])
    .forUpdate()
    .executeTakeFirst()

/** Gives a device another key and updates its report. Certificates of the old key become invalid. */
export const giveKey = (db: Db, id: string, machine: Machine): Promise<Registered> =>
  db
    .updateTable('devices')
    .set({ ...machine, keyGeneration: sql`key_generation + 1` })
    .where('id', '=', id)
    .returning(registeredColumns)
    .executeTakeFirstOrThrow()

export interface DeviceLocation {
  readonly orgId: string
  readonly partnerId: string
  readonly siteId: string | null
}

/** Adds a machine that was unknown. */
export async function addDevice(
  db: Db,
  place: DeviceLocation,
  machine: Machine,
  enrollment: { readonly keyId: string; readonly at: string },
): Promise<Registered> {
  const { keyId, at } = enrollment
  const device = await db
    .insertInto('devices')
    .values({ ...place, ...machine, enrollmentKeyId: keyId, enrolledAt: at })
    .returning(registeredColumns)
    .executeTakeFirstOrThrow()
  await addState(db, device)
  await noteEnrolled(db, device, machine)
  return device
}

/** Tells followers about a machine that has become a device. */
const noteEnrolled = (db: Db, { id, orgId, partnerId, siteId }: Registered, { hostname }: Machine): Promise<void> =>
  emit(db, deviceEnrolled, { partnerId, orgId, siteId, deviceId: id, data: { hostname } })

export interface Preparation {
  readonly hostname: string
  readonly displayName: string | null
  readonly osType: Machine['osType'] | null
  readonly tags: string[]
}

/** Adds a device whose machine has not enrolled yet. */
export async function prepareDevice(db: Db, place: DeviceLocation, preparation: Preparation): Promise<Registered> {
  const device = await db
    .insertInto('devices')
    .values({ ...place, ...preparation, lifecycle: 'provisioned' })
    .returning(registeredColumns)
    .executeTakeFirstOrThrow()
  await addState(db, device)
  return device
}

/** Enrolls the machine of a provisioned device. Undefined when it enrolled before or is no longer expected. */
export async function completeDevice(
  db: Db,
  id: string,
  machine: Machine,
  enrollment: { readonly keyId: string; readonly at: string },
): Promise<Registered | undefined> {
  const device = await db
    .updateTable('devices')
    .set({ ...machine, lifecycle: 'active', enrollmentKeyId: enrollment.keyId, enrolledAt: enrollment.at })
    .where('id', '=', id)
    .where('lifecycle', '=', 'provisioned')
    .returning(registeredColumns)
    .executeTakeFirst()
  if (device !== undefined) await noteEnrolled(db, device, machine)
  return device
}

const addState = (db: Db, { id, orgId, partnerId }: Registered) =>
  db.insertInto('deviceState').values({ deviceId: id, orgId, partnerId }).execute()
