import { type Language, languageSystems } from '@muster/areas/control/commands/script-languages.rules.ts'
import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'

export type { Language } from '@muster/areas/control/commands/script-languages.rules.ts'

const names: readonly (readonly [Language, string])[] = [
  ['bash', 'Bash'],
  ['sh', 'POSIX shell'],
  ['zsh', 'Z shell'],
  ['powershell', 'PowerShell'],
  ['cmd', 'Command Prompt'],
  ['python', 'Python'],
  ['osascript', 'AppleScript'],
]

/** The script languages that a device has, by its operating system; all while that is not known. */
export const languagesOf = (osType: Device['osType']) =>
  osType === null ? names : names.filter(([language]) => languageSystems[language].includes(osType))
