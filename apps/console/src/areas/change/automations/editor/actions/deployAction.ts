// The deployment of an action while it is edited. Its script or command is edited as those of other actions are.
import type { ActionOf } from '@muster/areas/change/automations/runs/actions/actions.contract.ts'
import { type AutomatedCommand, isAutomated, type Payload, payloadOf, payloadTexts } from './commandFields.ts'
import { type ScriptDraft, scriptDraftOf, scriptOf } from './scriptAction.ts'

type Deploy = ActionOf<'deploy'>

export interface DeployDraft {
  readonly kind: Deploy['order']['kind']
  /** As it is stored, with what is not shown. */
  readonly stored: Pick<Deploy, 'order' | 'strategy'> | null
}

/** The parts of a draft that a deployment has. */
interface Parts {
  readonly deploy: DeployDraft
  readonly script: ScriptDraft
  readonly command: AutomatedCommand
  readonly payload: Readonly<Record<string, string>>
  readonly stored: Payload
}

/** The parts of a draft that show the deployment. */
export function deployParts({ order, strategy }: Deploy): Partial<Parts> {
  const deploy = { kind: order.kind, stored: { order, strategy } }
  if (order.kind === 'script') return { deploy, script: scriptDraftOf(order.scriptId, order.parameters) }
  if (!isAutomated(order.type)) return { deploy }
  return { deploy, command: order.type, payload: payloadTexts(order.payload), stored: order.payload }
}

function orderOf({ deploy: { kind, stored }, script, command, payload, stored: before }: Parts): Deploy['order'] {
  if (kind === 'command') return { kind, type: command, payload: payloadOf(command, payload, before) }
  const { scriptId, parameters } = scriptOf(script)
  const known = stored?.order.kind === 'script' && stored.order.scriptId === scriptId ? stored.order : {}
  return { ...known, kind, scriptId, parameters }
}

/** What a draft says in a request. */
export function deployOf(draft: Parts): Pick<Deploy, 'order' | 'strategy'> {
  const strategy = draft.deploy.stored?.strategy
  return { order: orderOf(draft), ...(strategy !== undefined && { strategy }) }
}
