import { expect, test } from 'vitest'
import { inventoryLabel } from './inventoryLabel.ts'

test('writes the keys of the inventory as headings', () => {
  expect(
    ['cpuCores', 'usedBytes', 'uid', 'mountPoint', 'cpuMhz', 'loggedIn', 'installedAt', 'speedMbit'].map(
      inventoryLabel,
    ),
  ).toEqual(['CPU cores', 'Used', 'UID', 'Mount point', 'CPU MHz', 'Logged in', 'Installed', 'Speed'])
})
