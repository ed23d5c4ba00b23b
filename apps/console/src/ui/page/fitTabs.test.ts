import { expect, test } from 'vitest'
import { fitTabs } from './fitTabs.ts'

const tabs = ['overview', 'inventory', 'processes', 'services', 'logs'].map((id) => ({ id, width: 100 }))
const shown = (room: number, ...preferred: string[]) => [...fitTabs(tabs, { room, more: 80, preferred })]

test('shows all tabs without a menu while there is room', () => {
  expect(shown(500)).toHaveLength(5)
})

test('keeps room for the menu when tabs are hidden', () => {
  expect(shown(499)).toEqual(['overview', 'inventory', 'processes', 'services'])
  expect(shown(470)).toEqual(['overview', 'inventory', 'processes'])
})

test('shows the open tab in place of the last ones', () => {
  expect(shown(300, 'logs')).toEqual(['overview', 'logs'])
  expect(shown(300, 'overview', 'services')).toEqual(['overview', 'services'])
})

test('shows the open tab alone in a very narrow row', () => {
  expect(shown(60, 'logs')).toEqual(['logs'])
})
