// Which secrets a script gets: those of the nearest owner, as they are when it is issued.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { z } from 'zod'

const Names = z.object({ secrets: z.record(z.string(), z.string()).optional() })

/** The names of the secrets of a payload, by the variables that get their values. */
export const secretsIn = (payload: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Names.safeParse(payload).data?.secrets ?? {}

export type SecretIds = Readonly<Record<string, string>>

interface Wanted {
  readonly payload: Readonly<Record<string, unknown>>
  /** Whether an organization asks, which may use a secret of the partner only if it is shared. */
  readonly byOrganization: boolean
}

/** The secrets of each device that has all of them: those of its site before those of its organization and its partner. */
export async function secretsOfDevices(
  db: Db,
  deviceIds: readonly string[],
  { payload, byOrganization }: Wanted,
): Promise<ReadonlyMap<string, SecretIds>> {
  const variables = Object.entries(secretsIn(payload))
  const names = [...new Set(variables.map(([, name]) => name))]
  if (names.length === 0 || deviceIds.length === 0) return new Map()
  const { rows } = await sql<{ deviceId: string; ids: SecretIds }>`
    SELECT d.id AS device_id, jsonb_object_agg(n.name, found.id) AS ids
    FROM devices d CROSS JOIN unnest(${names}::text[]) AS n (name)
    CROSS JOIN LATERAL (
      SELECT s.id FROM secrets s
      WHERE s.partner_id = d.partner_id AND s.name = n.name
        AND (s.org_id IS NULL OR s.org_id = d.org_id) AND (s.site_id IS NULL OR s.site_id = d.site_id)
        AND (NOT ${byOrganization} OR s.org_id IS NOT NULL OR s.shared_with_organizations)
      ORDER BY s.site_id IS NULL, s.org_id IS NULL LIMIT 1) found
    WHERE d.id = ANY (${[...deviceIds]}::uuid[])
    GROUP BY d.id HAVING count(*) = ${names.length}`.execute(db)
  return new Map(
    rows.map(({ deviceId, ids }) => [
      deviceId,
      Object.fromEntries(variables.map(([variable, name]) => [variable, ids[name] ?? ''])),
    ]),
  )
}
