// The settings that policies make on devices, in words.
import type { Policy } from '@muster/areas/change/device-policies/policies.contract.ts'
import type { SettingName } from '@muster/areas/change/device-policies/settings/settings.contract.ts'

export const settingWords: Readonly<Record<SettingName, string>> = {
  'agent.heartbeatSeconds': 'Seconds between heartbeats',
  'agent.autoUpdate': 'Agent updates itself',
  'scripts.allowed': 'Scripts may run',
}
export const settingNames: readonly SettingName[] = ['agent.heartbeatSeconds', 'agent.autoUpdate', 'scripts.allowed']

/** What a setting is set to, in words. */
export const settingText = (value: boolean | number): string =>
  typeof value === 'number' ? String(value) : value ? 'Yes' : 'No'

/** The settings of a policy with their values. */
export const settingsOf = ({ settings }: Policy): (readonly [SettingName, boolean | number])[] =>
  settingNames.flatMap((name) => {
    const value = settings[name]
    return value === undefined ? [] : [[name, value] as const]
  })
