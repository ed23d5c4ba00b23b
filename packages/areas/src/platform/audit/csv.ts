// CSV that a spreadsheet can open without running anything: cells that would begin a formula get an apostrophe in front,
// and so do cells that begin with one, so that whoever reads the file back can take exactly one away.
const dangerous = /^[=+\-@\t\r']/
const quotable = /[",\r\n]/

/** One cell of a CSV row. */
export function csvCell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const safe = dangerous.test(value) ? `'${value}` : value
  return quotable.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** What stood in a cell before it was made safe. */
export const plainCell = (cell: string): string => (cell.startsWith("'") ? cell.slice(1) : cell)

/** Rows of a CSV file, read as its text arrives. */
export async function* csvRows(text: AsyncIterable<string>): AsyncGenerator<string[]> {
  let row: string[] = []
  let cell = ''
  let state: 'open' | 'quoted' | 'closing' = 'open'
  for await (const chunk of text) {
    for (const char of chunk) {
      if (state === 'quoted') {
        if (char === '"') state = 'closing'
        else cell += char
        continue
      }
      if (state === 'closing' && char === '"') {
        cell += char
        state = 'quoted'
        continue
      }
      state = 'open'
      if (char === '"' && cell === '') state = 'quoted'
      else if (char === ',') {
        row.push(cell)
        cell = ''
      } else if (char === '\n') {
        yield [...row, cell.replace(/\r$/, '')]
        row = []
        cell = ''
      } else cell += char
    }
  }
  if (cell !== '' || row.length > 0) yield [...row, cell]
}
