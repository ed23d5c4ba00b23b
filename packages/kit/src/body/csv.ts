// CSV for spreadsheets, for server and console. A cell that could start a formula gets an apostrophe in front. So does a cell
// that begins with an apostrophe, so that a reader can always remove one.
const dangerous = /^[=+\-@\t\r']/
const quotable = /[",\r\n]/

function csvCell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const safe = dangerous.test(value) ? `'${value}` : value
  return quotable.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The original content of a cell. */
export const plainCell = (cell: string): string => (cell.startsWith("'") ? cell.slice(1) : cell)

/** One row, with the line end that RFC 4180 wants. */
export const csvRow = (cells: readonly (string | number | null)[]): string => `${cells.map(csvCell).join(',')}\r\n`
