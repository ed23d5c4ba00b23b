import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { Tag, tagsMax } from '../tags.contract.ts'
import { changeEvents } from './device-changes.ts'
import { keepChanges } from './kept-events.ts'

/**
 * Adds one tag to devices, or removes it.
 * @returns why devices kept their tags, and live events to publish after the commit
 */
export async function changeTag(
  db: Db,
  deviceIds: readonly string[],
  how: 'add' | 'remove',
  text: string,
): Promise<{ faults: ReadonlyMap<string, string>; events: PartnerEvent[] }> {
  const parsed = Tag.safeParse(text)
  if (!parsed.success) {
    const fault = `The tag ${parsed.error.issues[0]?.message ?? 'is not valid'}`
    return { faults: new Map(deviceIds.map((id) => [id, fault])), events: [] }
  }
  const tag = parsed.data
  const { rows } = await sql<{
    deviceId: string
    orgId: string
    partnerId: string
    siteId: string | null
    has: boolean
    isFull: boolean
  }>`SELECT id AS device_id, org_id, partner_id, site_id, tags @> ARRAY[${tag}]::text[] AS has,
      cardinality(tags) >= ${tagsMax} AS is_full
    FROM devices WHERE id = ANY (${[...deviceIds]}::uuid[]) ORDER BY id FOR NO KEY UPDATE`.execute(db)
  const wanting = rows.filter(({ has }) => has !== (how === 'add'))
  const full = how === 'add' ? wanting.filter(({ isFull }) => isFull) : []
  const changing = wanting.filter((row) => !full.includes(row))
  const after = how === 'add' ? sql`array_append(tags, ${tag}::text)` : sql`array_remove(tags, ${tag}::text)`
  if (changing.length > 0)
    await sql`UPDATE devices SET tags = ${after}
      WHERE id = ANY (${changing.map(({ deviceId }) => deviceId)}::uuid[])`.execute(db)
  await keepChanges(
    db,
    changing.map(({ deviceId }) => deviceId),
    ['tags'],
  )
  const atMs = Date.now()
  return {
    faults: new Map(full.map(({ deviceId }) => [deviceId, `would have more than ${tagsMax} tags`])),
    events: changeEvents(
      'tags',
      changing.map((place) => ({ ...place, atMs })),
    ),
  }
}
