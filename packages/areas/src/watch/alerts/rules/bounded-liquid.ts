// Liquid templates of people, with bounds on time and size.
import { Liquid } from 'liquidjs'

/** @param strictVariables whether a value that is absent makes the template fail */
export const boundedLiquid = ({ strictVariables }: { readonly strictVariables: boolean }): Liquid =>
  new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables,
    parseLimit: 10_000,
    renderLimit: 50,
    memoryLimit: 100_000,
    // Without files there is nothing to include.
    templates: {},
  })

/** Why a text is no template; null if it is one. */
export function faultOfTemplate(engine: Liquid, text: string): string | null {
  try {
    engine.parse(text)
    return null
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n')[0] ?? 'is not a template') : 'is not a template'
  }
}

const parsedMax = 1_000

/** Renders templates, and keeps those that it parsed. @returns a function that throws where a template fails */
export function rendererOf(engine: Liquid): (text: string, scope: object) => string {
  const parsed = new Map<string, ReturnType<Liquid['parse']>>()
  return (text, scope) => {
    const template = parsed.get(text) ?? engine.parse(text)
    if (parsed.size >= parsedMax) parsed.clear()
    parsed.set(text, template)
    return String(engine.renderSync(template, scope))
  }
}
