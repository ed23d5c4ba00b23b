import { csvRow } from '@muster/kit/body/csv.ts'
import type { Column } from '../../../../ui/table/DataTable.tsx'

/** Rows as CSV, with the columns that are shown, in their order. */
export function asCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const written = columns.flatMap(({ header, text }) => (text ? [{ header, text }] : []))
  const lines = rows.map((row) => csvRow(written.map(({ text }) => text(row))))
  return [csvRow(written.map(({ header }) => header)), ...lines].join('')
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
