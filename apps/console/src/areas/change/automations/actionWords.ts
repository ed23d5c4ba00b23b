// Actions in words.
import type { Action, ActionType } from '@muster/areas/change/automations/runs/actions/actions.contract.ts'
import { many } from '../../../ui/text/quantity.ts'
import { commandWords } from '../../control/commands/CommandMark.tsx'
import { lengthText } from '../../watch/conditions/words.ts'

export const actionTypes: readonly (readonly [ActionType, string])[] = [
  ['run_script', 'Run a script'],
  ['command', 'Send a command'],
  ['deploy', 'Deploy in batches'],
  ['set_field', 'Set a custom field'],
  ['add_tag', 'Add a tag'],
  ['remove_tag', 'Remove a tag'],
  ['notify', 'Notify'],
  ['create_alert', 'Create an alert'],
  ['webhook', 'Send a request'],
  ['wait', 'Wait'],
  ['wait_online', 'Wait until online'],
]
const names = new Map<string, string>(actionTypes)
/** A type of action in words. */
export const actionName = (type: string): string => names.get(type) ?? type

/** What an action does. @param nameOf the name of a script; undefined if it is not known */
export function actionText(action: Action, nameOf: (scriptId: string) => string | undefined): string {
  switch (action.type) {
    case 'run_script':
      return `Run ${nameOf(action.scriptId) ?? 'a script'}`
    case 'command': {
      const given = Object.values(action.payload).filter((value) => typeof value === 'string')
      return [commandWords(action.command), ...given].join(' ')
    }
    case 'deploy': {
      const { order } = action
      const what = order.kind === 'script' ? (nameOf(order.scriptId) ?? 'a script') : commandWords(order.type)
      return `Deploy in batches: ${what}`
    }
    case 'set_field':
      return action.value === null ? `Remove the value of ${action.key}` : `Set ${action.key} to ${action.value}`
    case 'add_tag':
      return `Add the tag “${action.tag}”`
    case 'remove_tag':
      return `Remove the tag “${action.tag}”`
    case 'notify': {
      const channels = action.channelIds?.length ?? 0
      return `Notify ${channels === 0 ? 'the owner' : many(channels, 'channel')}: “${action.title}”`
    }
    case 'create_alert':
      return `Create an alert (${action.severity}): “${action.title}”`
    case 'webhook':
      return `Send a request to ${action.url}`
    case 'wait':
      return `Wait ${lengthText(action.seconds)}`
    case 'wait_online':
      return `Wait up to ${lengthText(action.seconds)} until online`
  }
}
