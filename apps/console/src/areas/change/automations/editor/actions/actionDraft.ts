// An action while it is edited. Its fields are texts, and what another type needs is kept.
import type { Action, ActionType, OnFailure } from '@muster/areas/change/automations/runs/actions/actions.contract.ts'
import type { Severity } from '@muster/areas/platform/events/severity.contract.ts'
import { headersFrom } from '../../../../watch/headers.ts'
import { type AutomatedCommand, type Payload, payloadOf, payloadTexts } from './commandFields.ts'
import { type DeployDraft, deployOf, deployParts } from './deployAction.ts'
import { type ScriptDraft, scriptDraftOf, scriptOf } from './scriptAction.ts'

export interface ActionDraft {
  readonly key: string
  readonly type: ActionType
  readonly field: string
  /** As text; of a boolean “true” or “false”. Empty removes the value. */
  readonly value: string
  readonly valueType: 'text' | 'number' | 'boolean'
  readonly tag: string
  readonly channelIds: readonly string[]
  readonly severity: Severity
  readonly title: string
  readonly message: string
  readonly url: string
  /** One `Name: value` on each line. */
  readonly headers: string
  readonly body: string
  readonly command: AutomatedCommand
  readonly payload: Readonly<Record<string, string>>
  /** The payload as it is stored, which may have fields that are not shown. */
  readonly stored: Payload
  readonly seconds: string
  readonly retries: string
  readonly retryDelaySeconds: string
  /** Empty: as the automation says. */
  readonly onFailure: OnFailure | ''
  readonly script: ScriptDraft
  readonly deploy: DeployDraft
}

let made = 0
export const newAction = (): ActionDraft => ({
  ...{ key: `action-${++made}`, type: 'command', field: '', value: '', valueType: 'text', tag: '' },
  ...{ channelIds: [], severity: 'medium', title: '', message: '', url: '', headers: '', body: '' },
  ...{ command: 'restart_service', payload: {}, stored: {}, seconds: '60' },
  ...{ retries: '0', retryDelaySeconds: '60', onFailure: '', script: scriptDraftOf('') },
  deploy: { kind: 'script', stored: null },
})

export function actionDraftOf(action: Action): ActionDraft {
  const { type, retries, retryDelaySeconds, onFailure } = action
  const usual = { retries: String(retries), retryDelaySeconds: String(retryDelaySeconds) }
  return { ...newAction(), type, ...usual, ...(onFailure && { onFailure }), ...partsOf(action) }
}

function partsOf(action: Action): Partial<ActionDraft> {
  switch (action.type) {
    case 'set_field': {
      const { key: field, value } = action
      const valueType = typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'text'
      return { field, value: value === null ? '' : String(value), valueType }
    }
    case 'add_tag':
    case 'remove_tag':
      return { tag: action.tag }
    case 'notify':
      return { channelIds: action.channelIds ?? [], title: action.title, message: action.message }
    case 'create_alert':
      return { severity: action.severity, title: action.title, message: action.message ?? '' }
    case 'webhook': {
      const lines = Object.entries(action.headers ?? {}).map(([name, value]) => `${name}: ${value}`)
      return { url: action.url, headers: lines.join('\n'), body: action.body ?? '' }
    }
    case 'command':
      return { command: action.command, payload: payloadTexts(action.payload), stored: action.payload }
    case 'wait':
    case 'wait_online':
      return { seconds: String(action.seconds) }
    case 'deploy':
      return deployParts(action)
    case 'run_script':
      return { script: scriptDraftOf(action.scriptId, action.parameters, action.waitSeconds) }
  }
}

function fieldValue({ value, valueType }: ActionDraft): string | number | boolean | null {
  if (value === '') return null
  if (valueType === 'boolean') return value === 'true'
  return valueType === 'number' ? Number(value) : value
}

/** What a draft says in a request. */
export function actionOf(draft: ActionDraft) {
  const { retries, retryDelaySeconds, onFailure, title, message } = draft
  const usual = {
    retries: Number(retries),
    retryDelaySeconds: Number(retryDelaySeconds),
    ...(onFailure !== '' && { onFailure }),
  }
  switch (draft.type) {
    case 'set_field':
      return { type: draft.type, key: draft.field, value: fieldValue(draft), ...usual }
    case 'add_tag':
    case 'remove_tag':
      return { type: draft.type, tag: draft.tag, ...usual }
    case 'notify': {
      const channels = draft.channelIds.length > 0 ? { channelIds: [...draft.channelIds] } : {}
      return { type: draft.type, ...channels, title, message, ...usual }
    }
    case 'create_alert':
      return { type: draft.type, severity: draft.severity, title, ...(message !== '' && { message }), ...usual }
    case 'webhook': {
      const { url, headers, body } = draft
      const more = { ...(headers.trim() !== '' && { headers: headersFrom(headers) }), ...(body !== '' && { body }) }
      return { type: draft.type, url, ...more, ...usual }
    }
    case 'command': {
      const { command, payload, stored } = draft
      return { type: draft.type, command, payload: payloadOf(command, payload, stored), ...usual }
    }
    case 'wait':
    case 'wait_online':
      return { type: draft.type, seconds: Number(draft.seconds), ...usual }
    case 'deploy':
      return { type: draft.type, ...deployOf(draft), ...usual }
    case 'run_script':
      return { type: draft.type, ...scriptOf(draft.script), ...usual }
  }
}
