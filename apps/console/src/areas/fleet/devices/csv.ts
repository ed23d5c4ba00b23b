import type { Column } from '../../../ui/DataTable.tsx'

// A spreadsheet must not take what somebody called a machine for a formula.
const field = (value: string | number | null) => {
  if (value === null) return ''
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Rows as CSV, with the columns that are shown, in their order. */
export function asCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const written = columns.flatMap(({ header, text }) => (text ? [{ header, text }] : []))
  const lines = rows.map((row) => written.map(({ text }) => field(text(row))).join(','))
  return `${[written.map(({ header }) => field(header)).join(','), ...lines].join('\r\n')}\r\n`
}

/** Lets the browser keep something as a file. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
