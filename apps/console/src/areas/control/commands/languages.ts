import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import type { Language } from '@muster/areas/fleet/devices/state/capabilities.rules.ts'
import { inabilityOf, isOfSystem } from '../../fleet/devices/ability.ts'

export type { Language } from '@muster/areas/fleet/devices/state/capabilities.rules.ts'

/** All script languages and their names. */
export const languages: readonly (readonly [Language, string])[] = [
  ['bash', 'Bash'],
  ['sh', 'POSIX shell'],
  ['zsh', 'Z shell'],
  ['powershell', 'PowerShell'],
  ['cmd', 'Command Prompt'],
  ['python', 'Python'],
  ['osascript', 'AppleScript'],
]

/** The script languages of the system of a device. Those that are not installed say so. */
export const languagesOf = (device: DeviceDetail): typeof languages =>
  languages.flatMap(([language, name]) => {
    if (!isOfSystem(device, `script:${language}`)) return []
    return [[language, isMissing(device, language) ? `${name} (not installed)` : name]]
  })

/** Whether a device cannot run scripts of this language now. */
export const isMissing = (device: DeviceDetail, language: Language): boolean =>
  inabilityOf(device, `script:${language}`) !== undefined

/** The first language that a device can run now, or the usual one of its system. */
export function firstLanguageOf(device: DeviceDetail): Language {
  const own = languagesOf(device).map(([language]) => language)
  return own.find((language) => !isMissing(device, language)) ?? own[0] ?? 'sh'
}
