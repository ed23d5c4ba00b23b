// CSV for spreadsheets, written by server and console. A cell that would begin a formula gets an apostrophe in front, and so does
// a cell that begins with one, so that a reader can take exactly one away.
const dangerous = /^[=+\-@\t\r']/
const quotable = /[",\r\n]/

function csvCell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const safe = dangerous.test(value) ? `'${value}` : value
  return quotable.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** What stood in a cell before it was made safe. */
export const plainCell = (cell: string): string => (cell.startsWith("'") ? cell.slice(1) : cell)

/** One row, with the line end that RFC 4180 wants. */
export const csvRow = (cells: readonly (string | number | null)[]): string => `${cells.map(csvCell).join(',')}\r\n`
