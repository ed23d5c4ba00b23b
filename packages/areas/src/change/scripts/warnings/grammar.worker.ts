// Runs in a thread of its own, because parsing a large script takes a part of a second.
import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'
import treeSitter from '@vscode/tree-sitter-wasm'
import type { ScriptWarning } from '../scripts.contract.ts'

export type GrammarName = 'bash' | 'python' | 'powershell'

export interface GrammarQuestion {
  readonly id: number
  readonly grammar: GrammarName
  readonly content: string
}
export interface GrammarAnswer {
  readonly id: number
  /** Null if parsing took too long. */
  readonly warnings: readonly ScriptWarning[] | null
}

const parseMs = 2_000
const warningsMax = 20

const { Language, Parser } = treeSitter
type Tree = NonNullable<ReturnType<InstanceType<typeof Parser>['parse']>>
type Node = Tree['rootNode']

const require = createRequire(import.meta.url)
const languages = new Map<GrammarName, Promise<InstanceType<typeof Language>>>()
const ready = Parser.init()

function languageOf(grammar: GrammarName) {
  const known = languages.get(grammar)
  if (known !== undefined) return known
  // Of the same package as the parser, which loads only grammars of its own form.
  const file = require.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`)
  const loaded = Language.load(file)
  languages.set(grammar, loaded)
  return loaded
}

async function warningsIn({ grammar, content }: GrammarQuestion): Promise<readonly ScriptWarning[] | null> {
  await ready
  const parser = new Parser()
  try {
    parser.setLanguage(await languageOf(grammar))
    const deadline = performance.now() + parseMs
    const tree = parser.parse(grammar === 'bash' ? withoutBases(content) : content, null, {
      progressCallback: () => performance.now() > deadline,
    })
    if (tree === null) return null
    const found = faultsIn(tree.rootNode)
    tree.delete()
    return found
  } finally {
    parser.delete()
  }
}

/** The grammar of bash does not know bases, as in `10#$number`. Columns stay what they are. */
const withoutBases = (content: string): string =>
  content.replace(/(?<![\w$])\d{1,2}#(?=[$\w])/g, (base) => ' '.repeat(base.length))

/** The outermost faults, in the order of the text. */
function faultsIn(root: Node): ScriptWarning[] {
  const found: ScriptWarning[] = []
  const waiting: Node[] = [root]
  while (found.length < warningsMax) {
    const node = waiting.pop()
    if (node === undefined) break
    if (node.isMissing || node.isError) found.push(faultOf(node))
    else if (node.hasError) waiting.push(...node.children.flatMap((child) => child ?? []).toReversed())
  }
  return found
}

function faultOf(node: Node): ScriptWarning {
  // What is missing would stand at the end. What it is missing for begins elsewhere.
  const { row, column } = (node.isMissing && node.parent?.parent ? node.parent : node).startPosition
  const message = node.isMissing ? `${quoted(node.type)} is missing for what begins here` : 'This is not valid syntax'
  return { line: row + 1, column: column + 1, message }
}

const quoted = (token: string): string => (/^\w+$/.test(token) ? token : `"${token}"`)

parentPort?.on('message', async (question: GrammarQuestion) => {
  const warnings = await warningsIn(question)
  parentPort?.postMessage({ id: question.id, warnings } satisfies GrammarAnswer)
})
