import { expect, test } from 'vitest'
import { type Column, fitColumns } from './column.ts'

const column = (id: string, width: number, more: Partial<Column<object>> = {}): Column<object> => ({
  id,
  header: id,
  width,
  cell: () => null,
  ...more,
})
const columns = [
  column('name', 200),
  column('status', 100, { pinned: true }),
  column('site', 100),
  column('seen', 100),
  column('actions', 60, { header: 'Actions' }),
]
const ids = (list: readonly Column<object>[]) => list.map(({ id }) => id).join(' ')

test('shows all columns where there is room', () => {
  expect(fitColumns(columns, 560)).toEqual({ shown: columns, left: [] })
})

test('leaves out the last columns first and keeps the actions', () => {
  const { shown, left } = fitColumns(columns, 470)
  expect([ids(shown), ids(left)]).toEqual(['name status site actions', 'seen'])
})

test('keeps the first column, pinned columns and actions however narrow the table is', () => {
  expect(ids(fitColumns(columns, 100).shown)).toBe('name status actions')
})
