import { type Capability, capabilityNames, encodeCapabilities } from '@muster/wire/capabilities.ts'
import { expect, test } from 'vitest'
import { capabilitiesOf, inabilityOf } from './capabilities.rules.ts'

const silent = (osType: string | null) => ({ osType, capabilities: null })

test.each<[string | null, Capability, string | null]>([
  ['linux', 'get_registry_value', 'UNSUPPORTED_PLATFORM'],
  ['windows', 'get_registry_value', null],
  [null, 'get_registry_value', null],
  ['linux', 'list_services', null],
  ['windows', 'script:bash', 'UNSUPPORTED_PLATFORM'],
  ['macos', 'script:zsh', null],
  ['macos', 'script:powershell', 'UNSUPPORTED_PLATFORM'],
  ['linux', 'script:powershell', null],
  ['linux', 'script:osascript', 'UNSUPPORTED_PLATFORM'],
])('goes by the operating system of a silent agent: %s, %s', (osType, name, expected) => {
  expect(inabilityOf(silent(osType), name)).toBe(expected)
})

test('goes by what the agent said, on any operating system', () => {
  const capabilities = encodeCapabilities({ list_services: 'MISSING_TOOL', reboot: 'NOT_PERMITTED' })
  const device = { osType: 'linux', capabilities }
  expect(inabilityOf(device, 'list_services')).toBe('MISSING_TOOL')
  expect(inabilityOf(device, 'reboot')).toBe('NOT_PERMITTED')
  expect(inabilityOf(device, 'get_registry_value')).toBeNull()
})

test('calls an agent too old that knows less than this server', () => {
  const newest = capabilityNames[capabilityNames.length - 1] ?? 'run_check'
  const device = { osType: 'linux', capabilities: encodeCapabilities({}).slice(0, -1) }
  expect(inabilityOf(device, newest)).toBe('AGENT_TOO_OLD')
})

test('lists everything, once', () => {
  const { reported, available, unavailable } = capabilitiesOf(silent('linux'))
  expect(reported).toBe(false)
  expect(available).toContain('script:python')
  expect(unavailable).toMatchObject({
    delete_registry_key: 'UNSUPPORTED_PLATFORM',
    'script:cmd': 'UNSUPPORTED_PLATFORM',
  })
  const told = capabilitiesOf({ osType: 'linux', capabilities: encodeCapabilities({ 'script:sh': 'MISSING_TOOL' }) })
  expect(told).toMatchObject({ reported: true, unavailable: { 'script:sh': 'MISSING_TOOL' } })
  expect(new Set([...available, ...Object.keys(unavailable)])).toEqual(new Set([...told.available, 'script:sh']))
})
