// Every type of action. The rest of the area knows them through these functions.
import type { Permission } from '@muster/kit/vocabulary.ts'
import type { ActionKind } from './action-kind.ts'
import type { Action, ActionType } from './actions.contract.ts'
import { createAlert } from './alert.action.ts'
import { command } from './command.action.ts'
import { deploy } from './deploy.action.ts'
import { setField } from './field.action.ts'
import { notify } from './notify.action.ts'
import { runScript } from './script.action.ts'
import { addTag, removeTag } from './tags.action.ts'
import { namesDevice } from './templates.ts'
import { wait, waitOnline } from './wait.action.ts'
import { webhook } from './webhook.action.ts'

const kinds: Readonly<Record<ActionType, ActionKind>> = {
  set_field: setField,
  add_tag: addTag,
  remove_tag: removeTag,
  notify,
  create_alert: createAlert,
  webhook,
  run_script: runScript,
  command,
  deploy,
  wait,
  wait_online: waitOnline,
}

export const kindOf = ({ type }: Pick<Action, 'type'>): ActionKind => kinds[type]

/** Whether the action is carried out on each device, and not once. */
export function isPerDevice(action: Action): boolean {
  const { on } = kindOf(action)
  return on === 'devices' || (on === 'texts' && namesDevice(action))
}

/** What the owner of these actions needs. Reading devices is needed to find them. */
export const permissionsFor = (actions: readonly Action[]): Permission[] => [
  ...new Set<Permission>(['devices:read', ...actions.flatMap((action) => kindOf(action).permissions(action))]),
]
