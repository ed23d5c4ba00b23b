import type { FactObserver, ObservedFact } from '../../background/observer.ts'

// Rows of one device in the order of their keys, as assignFacts changes them. Answers about other facts have no row.
const store = {
  name: 'store-observed-facts',
  text: `UPDATE device_facts f
    SET value = u.value, error = u.error, observed_at = to_timestamp(u.at / 1000)
    FROM unnest($1::uuid[], $2::text[], $3::float8[], $4::jsonb[], $5::text[]) AS u (device_id, fact_key, at, value, error)
    WHERE f.device_id = u.device_id AND f.fact_key = u.fact_key
      AND (f.value IS DISTINCT FROM u.value OR f.error IS DISTINCT FROM u.error)`,
}

/** Stores what devices found out, if it changed. */
export const factObserver: FactObserver = {
  kind: 'facts',
  async store(client, observed) {
    const rows = newest(observed)
    await client.query({
      ...store,
      values: [
        rows.map(({ deviceId }) => deviceId),
        rows.map(({ id }) => id),
        rows.map(({ at }) => at),
        rows.map(({ found }) => (found.type === 'unknown' ? null : JSON.stringify(found))),
        rows.map(({ found }) => (found.type === 'unknown' ? found.why : null)),
      ],
    })
    return {}
  },
}

/** The last answer of each device about each fact. */
function newest(observed: readonly ObservedFact[]): ObservedFact[] {
  const byKey = new Map(observed.map((fact) => [`${fact.deviceId} ${fact.id}`, fact]))
  return [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, fact]) => fact)
}
