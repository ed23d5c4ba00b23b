import { expect, test } from 'vitest'
import { widthsIn, withWidths } from './columnWidths.ts'

test('reads widths within bounds and leaves out what is no width', () => {
  const stored = '{"Devices/name":300,"Devices/site":1,"Devices/os":"wide","Devices/cpu":9999}'
  expect(widthsIn(stored)).toEqual({ 'Devices/name': 300, 'Devices/site': 48, 'Devices/cpu': 1_200 })
  expect([widthsIn('not JSON'), widthsIn('null'), widthsIn(null)]).toEqual([{}, {}, {}])
})

test('gives a chosen width to the column of that table alone', () => {
  const columns = ['name', 'site'].map((id) => ({ id, header: id, width: 100, grow: 1, cell: () => null }))
  const shown = withWidths(columns, 'Devices', { 'Devices/name': 300, 'Sites/site': 200 })
  expect(shown.map(({ width, grow }) => [width, grow])).toEqual([
    [300, 0],
    [100, 1],
  ])
})
