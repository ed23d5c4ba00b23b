import type { Capability, Obstacle, Obstacles } from '@muster/wire/capabilities.ts'
import { ScriptLanguage as Languages } from '@muster/wire/commands/scripts.ts'
import type { ScriptLanguage } from './platform.ts'

/**
 * The languages in which a machine runs no scripts.
 * @param find the interpreter of a language: null if the system never has one, undefined if it is not installed
 */
export async function missingLanguages(
  find: (language: ScriptLanguage) => Promise<string | undefined> | null,
): Promise<Obstacles> {
  const found = await Promise.all(
    Languages.options.map(async (language): Promise<[Capability, Obstacle] | undefined> => {
      const interpreter = find(language)
      if (interpreter === null) return [`script:${language}`, 'UNSUPPORTED_PLATFORM']
      return (await interpreter) === undefined ? [`script:${language}`, 'MISSING_TOOL'] : undefined
    }),
  )
  return Object.fromEntries(found.filter((entry) => entry !== undefined))
}
