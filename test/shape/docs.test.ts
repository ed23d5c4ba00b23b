import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { britishIn } from './british.ts'
import { codeLines, filesIn, isTest, read, root, sources } from './sources.ts'

const files = filesIn('.')
const documents = files.filter((path) => path.endsWith('.md'))
const deployed = filesIn('deploy')

/** Read by Node or the C library, not by Muster. */
const foreignVariables = ['NODE_USE_SYSTEM_CA', 'NODE_EXTRA_CA_CERTS', 'MALLOC_ARENA_MAX']
const upperCase = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g

test.each(documents)('every path that %s names exists', (document) => {
  const missing = pathsIn(read(document)).filter(
    (path) => !existsSync(join(root, path)) && !existsSync(join(root, dirname(document), path)),
  )
  expect(missing).toEqual([])
})

test.each(documents)('every source file that %s names without its folder exists', (document) => {
  const named = inlineCode(read(document)).filter((text) => /^[\w./-]+\.(ts|tsx|mjs|sh|sql)$/.test(text))
  expect(named.filter((name) => !files.some((path) => path === name || path.endsWith(`/${name}`)))).toEqual([])
})

test.each(documents)('every heading that %s links to exists', (document) => {
  const links = [...prose(read(document)).matchAll(/\]\(([^)#\s]*)#([^)\s]+)\)/g)]
  const broken = links.flatMap(([, path = '', anchor = '']) => {
    if (/^[a-z]+:/.test(path)) return []
    const target = path === '' ? document : join(dirname(document), path)
    const headings = existsSync(join(root, target)) ? headingsIn(read(target)) : []
    return headings.includes(anchor) ? [] : [`${path}#${anchor}`]
  })
  expect(broken).toEqual([])
})

const written = documents.filter((path) => !/^bench\/(RESULTS|notes\/)/.test(path))

test.each(written)('%s has American spelling and words that need no decoding', (document) => {
  const words = prose(read(document)).replace(/`[^`\n]*`|"[^"\n]*"/g, '')
  expect(britishIn(words)).toEqual([])
  expect(words.match(/\b(nobody|somebody|everybody|anybody|whoever|anew|e-mail)\b/gi) ?? []).toEqual([])
})

test('every npm script that a document, a deployment file or a message names exists', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'))
  const named = [...documents, ...deployed, ...sources].flatMap((path) =>
    [...read(path).matchAll(/\bnpm run (?:--silent )?([a-z][\w:-]*)/g)].map(([, script = '']) => ({ path, script })),
  )
  expect(named.filter(({ script }) => !(script in scripts))).toEqual([])
})

test('every environment variable and every code that a document names exists in the code', () => {
  const known = new Set([...settings(), ...quotedNames(), ...foreignVariables])
  const named = documents.flatMap((path) =>
    [...read(path).matchAll(upperCase)].map(([name]) => ({ path, name })).filter(({ name }) => !known.has(name)),
  )
  expect(named).toEqual([])
})

test('every environment variable that a document sets or lists in a table is read by the code', () => {
  const readByCode = new Set([...settings(), ...foreignVariables])
  const named = documents.flatMap((path) =>
    [...assigned(read(path)), ...listed(read(path))]
      .filter((name) => !readByCode.has(name))
      .map((name) => ({ path, name })),
  )
  expect(named).toEqual([])
})

/** Names of the environment variables that the code, its tests and the scripts for machines read. */
function settings(): string[] {
  const declared = sources
    .filter((path) => /(config|settings)\.ts$/.test(path))
    .flatMap((path) => codeLines(path))
    .flatMap(({ text }) => [...text.matchAll(/\b([A-Z][A-Z0-9_]+): /g)].map(([, name = '']) => name))
  const code = sources.map(read).join('\n')
  const direct = [...code.matchAll(/\b(?:process\.env|given|environment)\.([A-Z][A-Z0-9_]+)/g)]
  const taken = [...code.matchAll(/\{([^{}]*)\} = process\.env/g)].flatMap(([, names = '']) => [
    ...names.matchAll(upperCase),
  ])
  const shell = files.filter((path) => path.endsWith('.sh')).map(read)
  const inShell = [...shell.join('\n').matchAll(/\$\{([A-Z][A-Z0-9_]+)/g)]
  return [...declared, ...[...direct, ...inShell].map(([, name = '']) => name), ...taken.map(([name]) => name)]
}

/** Upper-case names that stand in the code as text or as keys, such as error codes. */
function quotedNames(): string[] {
  const lines = sources.filter((path) => !isTest(path)).flatMap(codeLines)
  return lines.flatMap(({ text }) =>
    [...text.matchAll(/'([A-Z][A-Z0-9_]+)'|\b([A-Z][A-Z0-9_]+): /g)].map(([, quoted, key]) => quoted ?? key ?? ''),
  )
}

/** Variables that a code block or inline code sets: `NAME=value`. */
function assigned(text: string): string[] {
  const code = [...blocks(text), ...inlineCode(text)]
  return code.flatMap((each) =>
    [...each.matchAll(/(?:^|\s)([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)=/g)].map(([, name = '']) => name),
  )
}

/** Variables in the first column of a table of settings. */
function listed(text: string): string[] {
  const tables = text.split('\n\n').filter((part) => /^\|[^|]*\b(variable|setting)s?\b/i.test(part.trimStart()))
  return tables.flatMap((table) =>
    table
      .split('\n')
      .flatMap((row) => inlineCode(row.split('|')[1] ?? '').filter((cell) => /^[A-Z][A-Z0-9_]+$/.test(cell))),
  )
}

function pathsIn(text: string): string[] {
  const links = [...prose(text).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, target]) => target ?? '')
  const ours = /^(apps|packages|bench|docs|deploy|migrations|scripts|test)\/[\w./-]+$/
  return [
    ...links.filter((target) => !/^[a-z]+:/.test(target)),
    ...inlineCode(text).filter((target) => ours.test(target)),
  ]
}

const fence = /^```[\s\S]*?^```/gm
const prose = (text: string) => text.replace(fence, '')
const blocks = (text: string) => text.match(fence) ?? []
const inlineCode = (text: string) => [...prose(text).matchAll(/`([^`\n]+)`/g)].map(([, code]) => code ?? '')

/** The anchors of a document's headings, as GitHub makes them. */
function headingsIn(text: string): string[] {
  return [...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
