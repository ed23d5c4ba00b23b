import { createStore } from '../../session/store.ts'
import { bounded, widthsIn } from './columnWidths.ts'

const key = 'muster.columns'
let widths = widthsIn(localStorage.getItem(key))
const chosen = createStore(widths)
export const useColumnWidths = chosen.use

/** @param width without one, the column has its usual width again */
export function setColumnWidth(table: string, column: string, width: number | undefined): void {
  const { [`${table}/${column}`]: _former, ...others } = widths
  widths = width === undefined ? others : { ...others, [`${table}/${column}`]: bounded(width) }
  localStorage.setItem(key, JSON.stringify(widths))
  chosen.set(widths)
}
