import { encodeCapabilities } from '@muster/wire/capabilities.ts'
import { expect, it } from 'vitest'
import { inabilityWords } from './inability-words.ts'

const linux = {
  osType: 'linux',
  capabilities: encodeCapabilities({
    list_services: 'MISSING_TOOL',
    get_registry_value: 'UNSUPPORTED_PLATFORM',
    'script:zsh': 'MISSING_TOOL',
    'script:cmd': 'UNSUPPORTED_PLATFORM',
    'script:osascript': 'UNSUPPORTED_PLATFORM',
    'script:powershell': 'MISSING_TOOL',
    run_as_user: 'UNSUPPORTED_PLATFORM',
    reboot: 'NOT_PERMITTED',
  }),
}

it.each([
  ['script:zsh', /^The script language zsh is not installed on the device\. Install it, then refresh the inventory$/],
  ['list_services', /^systemd, which list_services needs, is not installed/],
  ['script:cmd', /^Linux does not run cmd scripts\. This device runs bash, sh, python$/],
  ['run_as_user', /^The agent of this device does not run scripts as a user on Linux\. Leave out runAs/],
  ['get_registry_value', /^Linux has no registry\. Send get_registry_value to Windows devices$/],
] as const)('names what a device lacks for %s, and the way out', (name, words) => {
  expect(inabilityWords(linux, ['run_script', name])).toMatch(words)
})

it.each(['reboot', 'list_processes'] as const)('leaves other reasons to their own words: %s', (name) => {
  expect(inabilityWords(linux, [name])).toBeUndefined()
})
