// Parses scripts with the grammar of their language, in a thread: a version says where its content is not of the language.
import { AskedThread } from '@muster/kit/asked-thread.ts'
import type { KeptScript, ScriptWarning } from '../scripts.contract.ts'
import type { GrammarAnswer, GrammarName, GrammarQuestion } from './grammar.worker.ts'

/** The grammars of languages that have one. That of bash covers the POSIX shell. */
const grammars: Partial<Record<KeptScript['language'], GrammarName>> = {
  bash: 'bash',
  sh: 'bash',
  python: 'python',
  powershell: 'powershell',
}

/** The thread itself gives up after two seconds. It is ended if it does not. */
const thread = new AskedThread<Omit<GrammarQuestion, 'id'>, GrammarAnswer>(
  new URL('./grammar.worker.ts', import.meta.url),
  { waitingMax: 32, answerMs: 8_000, endsWhenLate: true, heapMbMax: 256 },
)

const unchecked: ScriptWarning = { line: null, column: null, message: 'The syntax could not be checked in time' }

/** At most 20 warnings. A script that takes too long to parse gets one that says so. */
export async function warningsOf({
  language,
  content,
}: Pick<KeptScript, 'language' | 'content'>): Promise<readonly ScriptWarning[]> {
  const grammar = grammars[language]
  if (grammar === undefined) return []
  const answer = await thread.ask({ grammar, content })
  return answer === 'busy' || answer === 'late' || answer.warnings === null ? [unchecked] : answer.warnings
}
