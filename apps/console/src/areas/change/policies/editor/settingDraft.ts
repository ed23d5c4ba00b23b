// The settings of a policy while they are edited. Empty: the policy does not set it.
import type { Policy } from '@muster/areas/change/device-policies/policies.contract.ts'

type Answer = '' | 'yes' | 'no'
export interface SettingDraft {
  readonly heartbeatSeconds: string
  readonly autoUpdate: Answer
  readonly scriptsAllowed: Answer
}

export const noSettings: SettingDraft = { heartbeatSeconds: '', autoUpdate: '', scriptsAllowed: '' }

const answerOf = (value: boolean | undefined): Answer => (value === undefined ? '' : value ? 'yes' : 'no')

export const settingDraftOf = ({ settings }: Policy): SettingDraft => ({
  heartbeatSeconds: String(settings['agent.heartbeatSeconds'] ?? ''),
  autoUpdate: answerOf(settings['agent.autoUpdate']),
  scriptsAllowed: answerOf(settings['scripts.allowed']),
})

/** What a draft says in a request. */
export const settingsOfDraft = ({
  heartbeatSeconds,
  autoUpdate,
  scriptsAllowed,
}: SettingDraft): Policy['settings'] => ({
  ...(heartbeatSeconds.trim() !== '' && { 'agent.heartbeatSeconds': Number(heartbeatSeconds) }),
  ...(autoUpdate !== '' && { 'agent.autoUpdate': autoUpdate === 'yes' }),
  ...(scriptsAllowed !== '' && { 'scripts.allowed': scriptsAllowed === 'yes' }),
})
