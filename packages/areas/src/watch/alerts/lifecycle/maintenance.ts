// Maintenance windows hold alerts back. If it is unknown whether they do, alerts are sent.
import type { Db } from '@muster/db/database.ts'
import { countHeldBack, verdictsOf } from '../../../control/maintenance/index.ts'

/** The window that holds back the alerts of a device. */
export interface Window {
  readonly windowId: string | null
  readonly reason: string
}

/** The windows that hold back alerts of these devices now. */
export async function windowsOver(db: Db, deviceIds: readonly string[]): Promise<ReadonlyMap<string, Window>> {
  const verdicts = await verdictsOf(db, [...new Set(deviceIds)], 'alerts')
  return new Map(
    [...verdicts].flatMap(([deviceId, { permitted, windowId }]) =>
      permitted ? [] : [[deviceId, { windowId, reason: 'The device is in maintenance' }] as const],
    ),
  )
}

/** Counts alerts that windows held back. */
export async function countSuppressed(db: Db, windowIds: readonly (string | null)[]): Promise<void> {
  const counts = new Map<string, number>()
  for (const id of windowIds) if (id !== null) counts.set(id, (counts.get(id) ?? 0) + 1)
  await countHeldBack(db, 'alerts', counts)
}
