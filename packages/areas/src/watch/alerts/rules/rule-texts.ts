// Title and message of a rule: Liquid templates over the device and the figures, with bounds on time and size.
import type { Severity } from '../../../platform/events/severity.contract.ts'
import { boundedLiquid, faultOfTemplate as faultIn, rendererOf } from './bounded-liquid.ts'
import { ConditionsInput, Metric } from './conditions.contract.ts'
import { durationText, figureText, metricLabel } from './metric-words.contract.ts'

const titleCharsMax = 255
const messageCharsMax = 4_000

const engine = boundedLiquid({ strictVariables: false })
const renderText = rendererOf(engine)

/** Why a text is no template; null if it is one. */
export const faultOfTemplate = (text: string): string | null => faultIn(engine, text)

function render(text: string, scope: object, otherwise: string): string {
  try {
    return renderText(text, scope)
  } catch {
    return otherwise
  }
}

const visible = (text: string): string => text.replace(/(?![\n\t])\p{Cc}/gu, ' ').trim()
const oneLine = (text: string): string => visible(text).replace(/\s+/g, ' ')

interface Texts {
  readonly name: string
  readonly severity: Severity
  readonly title: string | null
  readonly message: string | null
  readonly conditions: unknown
}

/** The title and message of an alert. A template that fails is replaced by the name of the rule. */
export function renderTexts(rule: Texts, about: Readonly<Record<string, unknown>>): { title: string; message: string } {
  const subject = nameOf(about.device) ?? nameOf(about.site)
  const plain = subject === null ? rule.name : `${rule.name}: ${subject}`
  const scope = { ...about, rule: { name: rule.name }, severity: rule.severity }
  const title = rule.title === null ? plain : oneLine(render(rule.title, scope, plain))
  const message = rule.message === null ? factsOf(rule, about) : visible(render(rule.message, scope, plain))
  return { title: (title === '' ? plain : title).slice(0, titleCharsMax), message: message.slice(0, messageCharsMax) }
}

const nameOf = (subject: unknown): string | null => {
  if (typeof subject !== 'object' || subject === null || !('name' in subject)) return null
  return typeof subject.name === 'string' ? subject.name : null
}

function factsOf({ conditions }: Texts, about: Readonly<Record<string, unknown>>): string {
  if (typeof about.summary === 'string') return about.summary
  const metric = Metric.safeParse(about.metric)
  if (metric.success && typeof about.value === 'number' && typeof about.threshold === 'number') {
    const [value, threshold] = [figureText(metric.data, about.value), figureText(metric.data, about.threshold)]
    return `${metricLabel(metric.data)} is ${value}. The threshold is ${threshold}`
  }
  const parsed = ConditionsInput.safeParse(conditions)
  if (!parsed.success || !('kind' in parsed.data)) return ''
  if (parsed.data.kind === 'offline') return `The device has been offline for ${durationText(parsed.data.seconds)}`
  return parsed.data.kind === 'filter' ? 'The device matches the filter of the rule' : ''
}
