// Parts of the inventory on values that Windows documents; test/windows reads those that wine has.
import { describe, expect, test } from 'vitest'
import { appOf } from './app-package.ts'
import { batteryOf } from './battery-status.ts'
import { driverOf } from './driver-entry.ts'
import { encryptionOf } from './encryption-words.ts'
import { isUpdatePackage, uniqueUpdates, updateOf } from './update-package.ts'

const values = (data: Record<string, unknown>) => Object.entries(data).map(([name, value]) => ({ name, data: value }))

describe('an app of the store', () => {
  const key = 'Microsoft.WindowsCalculator_11.2210.0.0_x64__8wekyb3d8bbwe'

  test('has its title, or the name of its package', () => {
    expect(appOf(key, values({ DisplayName: 'Calculator' }))).toEqual({
      name: 'Calculator',
      version: '11.2210.0.0',
      source: 'appx',
    })
    const link = '@{Microsoft.WindowsCalculator_11.2210.0.0_x64__8wekyb3d8bbwe?ms-resource://Resources/AppName}'
    for (const title of [link, 'ms-resource:AppName', ''])
      expect(appOf(key, values({ DisplayName: title }))?.name).toBe('Microsoft.WindowsCalculator')
    expect(appOf(key, [])?.name).toBe('Microsoft.WindowsCalculator')
  })

  test.each([
    'Microsoft.WindowsCalculator_11.2210.0.0_neutral_split.language-de_8wekyb3d8bbwe',
    'Microsoft.WindowsCalculator_2022.2210.0.0_neutral_~_8wekyb3d8bbwe',
    'no package',
  ])('is not %s', (name) => {
    expect(appOf(name, values({ DisplayName: 'Calculator' }))).toBeUndefined()
  })
})

describe('an installed update', () => {
  const installed = { CurrentState: 0x70, InstallTimeHigh: 31_079_000, InstallTimeLow: 2_000_000_000 }

  test('has the number and the time of its package', () => {
    const update = updateOf('Package_for_KB5034466~31bf3856ad364e35~amd64~~19041.3989.1.0', values(installed))
    expect(update).toMatchObject({ name: 'KB5034466', version: '19041.3989.1.0' })
    expect(new Date(update?.installedAt ?? 0).getUTCFullYear()).toBe(2023)
  })

  test('has the number of the place that a monthly rollup came from', () => {
    const key = 'Package_for_RollupFix~31bf3856ad364e35~amd64~~19041.4046.1.11'
    const place = '\\\\?\\C:\\Windows\\SoftwareDistribution\\Download\\ab\\Windows10.0-KB5034763-x64\\inst\\'
    expect(updateOf(key, values({ ...installed, InstallLocation: place }))?.name).toBe('KB5034763')
    expect(updateOf(key, values(installed))).toMatchObject({ name: 'RollupFix', version: '19041.4046.1.11' })
  })

  test('is not a package that was replaced, nor a part of Windows', () => {
    const key = 'Package_1_for_KB5034466~31bf3856ad364e35~amd64~~19041.3989.1.0'
    expect(isUpdatePackage(key)).toBe(false)
    expect(isUpdatePackage('Microsoft-Windows-Client-Features-Package~31bf3856ad364e35~amd64~~10.0.19041.1')).toBe(
      false,
    )
    expect(updateOf('Package_for_KB1~a~amd64~~1', values({ ...installed, CurrentState: 0x50 }))).toBeUndefined()
  })

  test('is listed once, with its newest time', () => {
    const [old, young, other] = [
      { name: 'KB1000001', installedAt: 1 },
      { name: 'KB1000001', installedAt: 2 },
      { name: 'KB1000002' },
    ]
    expect(uniqueUpdates([young, old, other])).toEqual([young, other])
  })
})

test('reads the driver of a device with its date', () => {
  const date = Buffer.alloc(8)
  date.writeBigUInt64LE(116_444_736_000_000_000n + 864_000_000_000n)
  const entry = { DriverDesc: 'Intel(R) Ethernet', DriverVersion: '1.2.3', ProviderName: 'Intel' }
  expect(driverOf(values({ ...entry, DriverDateData: date.toString('base64') }))).toEqual({
    name: 'Intel(R) Ethernet',
    version: '1.2.3',
    publisher: 'Intel',
    date: 86_400_000,
  })
  expect(driverOf(values({ ...entry, DriverDateData: 'AQI=' }))?.date).toBeUndefined()
  expect(driverOf(values({ DriverVersion: '1' }))).toBeUndefined()
})

test('reads the charge of a battery, and none of a machine without one', () => {
  expect(batteryOf({ batteryFlags: 8, percent: 55 })).toEqual({ percent: 55, charging: true })
  expect(batteryOf({ batteryFlags: 1, percent: 255 })).toEqual({ percent: undefined, charging: false })
  for (const batteryFlags of [128, 255]) expect(batteryOf({ batteryFlags, percent: 255 })).toBeUndefined()
})

test.each([
  [0, 'off'],
  [1, 'on'],
  [2, 'off'],
  [3, 'encrypting'],
  [4, 'decrypting'],
  [5, 'suspended'],
  [6, 'locked'],
  [7, undefined],
  [undefined, undefined],
])('names the protection %s of a volume %s', (protection, word) => {
  expect(encryptionOf(protection)).toBe(word)
})
