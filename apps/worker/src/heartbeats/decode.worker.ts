import { move, transferableSymbol, valueSymbol } from 'piscina'
import { decodeEntries } from './decode.ts'

/**
 * Runs in its own thread. Columns are transferred to the main thread, not copied.
 * @public
 */
export default function decode(entries: Uint8Array[]) {
  const decoded = decodeEntries(entries)
  const { devices, heartbeats } = decoded
  const { device, order, bootId, sequence, atMs, figures } = heartbeats
  const columns = [devices, device, order, bootId, sequence, atMs, ...figures]
  return move({ [transferableSymbol]: columns.map((column) => column.buffer), [valueSymbol]: decoded })
}
