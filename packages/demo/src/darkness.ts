// Now and then all machines of one site lose their connection.
import { type Place, places } from './places.ts'

const everyMs = 20 * 60_000
const lastsMs = 4 * 60_000

/** The site that is dark so long after the start, and for how long it stays so; null if there is none. */
export function darknessAt(sinceStartMs: number): { readonly place: Place; readonly leftMs: number } | null {
  const turn = Math.floor(sinceStartMs / everyMs)
  const place = places[turn % places.length]
  const leftMs = (turn + 1) * everyMs - sinceStartMs
  return place === undefined || leftMs > lastsMs ? null : { place, leftMs }
}
