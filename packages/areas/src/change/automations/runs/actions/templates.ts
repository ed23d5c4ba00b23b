// The texts of actions: Liquid templates over what started the run and over the device. A value that is absent fails the step.
import { boundedLiquid, faultOfTemplate, rendererOf } from '../../../../watch/alerts/index.ts'
import type { Action, ActionOf } from './actions.contract.ts'

const engine = boundedLiquid({ strictVariables: true })
const render = rendererOf(engine)

type Change = (text: string, field: string) => string

/** The action with each of its templates changed. */
function withTexts(action: Action, change: Change): Action {
  const optional = (text: string | undefined, field: string) =>
    text === undefined ? {} : { [field]: change(text, field) }
  switch (action.type) {
    case 'set_field':
      return typeof action.value === 'string' ? { ...action, value: change(action.value, 'value') } : action
    case 'add_tag':
    case 'remove_tag':
      return { ...action, tag: change(action.tag, 'tag') }
    case 'notify':
      return { ...action, title: change(action.title, 'title'), message: change(action.message, 'message') }
    case 'create_alert':
      return { ...action, title: change(action.title, 'title'), ...optional(action.message, 'message') }
    case 'webhook':
      return { ...action, url: change(action.url, 'url'), ...optional(action.body, 'body') }
    case 'run_script':
      return action.parameters === undefined ? action : { ...action, parameters: parametersWith(action, change) }
    case 'command':
    case 'deploy':
    case 'wait':
    case 'wait_online':
      return action
  }
}

const parametersWith = ({ parameters = {} }: ActionOf<'run_script'>, change: Change) =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === 'string' ? change(value, `parameters.${name}`) : value,
    ]),
  )

/** The names of the values that are templates. */
export const templatesIn = (values: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(values).flatMap(([name, value]) => (typeof value === 'string' && /\{[{%]/.test(value) ? [name] : []))

/** Each template of an action, with its field. */
function textsOf(action: Action): [text: string, field: string][] {
  const found: [string, string][] = []
  withTexts(action, (text, field) => {
    found.push([text, field])
    return text
  })
  return found
}

/** What is wrong with the templates of an action, beginning with the field; null if nothing is. */
export function faultOfTexts(action: Action): string | null {
  for (const [text, field] of textsOf(action)) {
    const fault = faultOfTemplate(engine, text)
    if (fault !== null) return `${field}: ${fault}`
  }
  return null
}

/** Whether the texts of an action take values of the device. */
export const namesDevice = (action: Action): boolean =>
  textsOf(action).some(([text]) => engine.globalVariablesSync(engine.parse(text)).includes('device'))

/** The action with its texts rendered, or why one fails. */
export function rendered(action: Action, scope: object): { readonly action: Action } | { readonly fault: string } {
  try {
    return { action: withTexts(action, (text) => render(text, scope).slice(0, longest)) }
  } catch (error) {
    const words = error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''
    return { fault: `A template failed: ${words}` }
  }
}

const longest = 65_536
