// What an automation does, step by step. Texts are Liquid templates over `event`, `body`, `device`, `automation` and `run`.
import { id, jsonObject } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { QueuedCommand } from '../../../../control/commands/commands.contract.ts'
import { CustomValue } from '../../../../fleet/custom-fields/custom-fields.contract.ts'
import { tagCharsMax } from '../../../../fleet/devices/tags.contract.ts'
import { Severity } from '../../../../platform/events/severity.contract.ts'
import { outgoingHeaders } from '../../../../watch/webhooks/webhooks.contract.ts'
import { StrategyInput } from '../../../deployments/batches/strategy.contract.ts'
import { CommandOrder } from '../../../deployments/kinds/command-order.contract.ts'
import { ParameterValue } from '../../../scripts/parameters.contract.ts'
import { ScriptOrder } from '../../../scripts/script-order.contract.ts'

export const OnFailure = z.enum(['stop', 'continue', 'notify'])
export type OnFailure = z.infer<typeof OnFailure>

const usual = {
  /** How often a failed device is tried again. */
  retries: z.int().min(0).max(10).default(0),
  retryDelaySeconds: z.int().min(0).max(86_400).default(60),
  /** Whether a device that fails takes part in the further steps. That of the automation unless given. */
  onFailure: OnFailure.optional(),
}
const template = (most: number) => z.string().max(most)
const key = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/, { error: 'must be the key of a custom field' })
const tag = template(tagCharsMax + 200).min(1)
const title = template(255).min(1)
const seconds = z.int().min(1).max(604_800)

const SetField = z.strictObject({ type: z.literal('set_field'), key, value: CustomValue, ...usual })
const AddTag = z.strictObject({ type: z.literal('add_tag'), tag, ...usual })
const RemoveTag = z.strictObject({ type: z.literal('remove_tag'), tag, ...usual })
const Notify = z.strictObject({
  type: z.literal('notify'),
  /** Without channels the owner gets a notification. */
  channelIds: z.array(id()).max(20).optional(),
  title,
  message: template(4_000),
  ...usual,
})
const CreateAlert = z.strictObject({
  type: z.literal('create_alert'),
  severity: Severity,
  title,
  message: template(4_000).optional(),
  ...usual,
})
const Webhook = z.strictObject({
  type: z.literal('webhook'),
  url: template(2_000).regex(/^https?:\/\/[^/?#{}\s]+([/?#]|$)/, {
    error: 'must be an address such as https://example.com/hook. Only what follows the server can be a template',
  }),
  /** The values are secret: answers have *** in their place, which keeps the stored value. */
  headers: outgoingHeaders().optional(),
  body: template(10_000).optional(),
  ...usual,
})
/** A script runs as `run_script`. */
const Command = z.strictObject({
  type: z.literal('command'),
  command: QueuedCommand.exclude(['run_script']),
  payload: jsonObject().default({}),
  ...usual,
})
const RunScript = z.strictObject({
  type: z.literal('run_script'),
  /** Its version stays the same until the automation is enabled or edited again. */
  scriptId: id(),
  /** Texts can be templates. */
  parameters: z.record(z.string().max(63), ParameterValue).optional(),
  /** How long the step waits for the end of the script, which is as long as the script may take unless given; 0 for not at all. */
  waitSeconds: z.int().min(0).max(604_800).optional(),
  ...usual,
})
const Deploy = z.strictObject({
  type: z.literal('deploy'),
  /** A script keeps its version until the automation is enabled or edited again. */
  order: z.discriminatedUnion('kind', [ScriptOrder, CommandOrder], { error: 'must be a script or a command' }),
  strategy: StrategyInput.optional(),
  ...usual,
})
const Wait = z.strictObject({ type: z.literal('wait'), seconds, ...usual })
const WaitOnline = z.strictObject({ type: z.literal('wait_online'), seconds, ...usual })

export const Action = z.discriminatedUnion('type', [
  SetField,
  AddTag,
  RemoveTag,
  Notify,
  CreateAlert,
  Webhook,
  RunScript,
  Command,
  Deploy,
  Wait,
  WaitOnline,
])
export type Action = z.infer<typeof Action>
export type ActionType = Action['type']
export type ActionOf<Type extends ActionType> = Extract<Action, { readonly type: Type }>

export const Actions = z.array(Action).min(1).max(50)
