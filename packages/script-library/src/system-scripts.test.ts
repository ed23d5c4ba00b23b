import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { debianPackages } from '@muster/testkit/debian.ts'
import treeSitter from '@vscode/tree-sitter-wasm'
import { describe, expect, test } from 'vitest'
import { libraryPage } from './library-page.ts'
import { scriptTemplates } from './script-templates.ts'
import { systemScripts } from './system-scripts.ts'

const scripts = systemScripts()
const folder = fileURLToPath(new URL('.', import.meta.url))
const filesOf = (...names: string[]) =>
  names.flatMap((name) => readdirSync(`${folder}${name}`).map((file) => `${folder}${name}/${file}`))
const of = (...languages: string[]) => scripts.filter(({ language }) => languages.includes(language))

test('each file of a script has one entry in the catalog', () => {
  const keys = filesOf('linux', 'python', 'windows').map((path) =>
    path.slice(folder.length).replace(/\.[a-z0-9]+$/, ''),
  )
  expect(scripts.map(({ key }) => key)).toEqual(keys.sort())
  expect(new Set(scripts.map(({ name }) => name)).size).toBe(scripts.length)
})

test('the library has enough scripts of each language', () => {
  expect(of('bash', 'sh').length).toBeGreaterThanOrEqual(16)
  expect(of('python').length).toBeGreaterThanOrEqual(8)
  expect(of('powershell').length).toBeGreaterThanOrEqual(12)
  expect(scripts.length).toBeGreaterThanOrEqual(36)
})

test('a script whose content or parameters change gets another version', async () => {
  const contentsOf = ({ content, parameters, args, runAs, timeoutSeconds }: (typeof scripts)[number]) =>
    JSON.stringify([content, parameters, args, runAs, timeoutSeconds])
  const hashOf = (script: (typeof scripts)[number]) => createHash('sha256').update(contentsOf(script)).digest('hex')
  const stored = new Map(
    readFileSync(`${folder}versions.txt`, 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .map(([key = '', version, hash]) => [key, { version: Number(version), hash }]),
  )
  const unraised = scripts.filter((script) => {
    const before = stored.get(script.key)
    return before !== undefined && before.version >= script.version && before.hash !== hashOf(script)
  })
  expect(unraised.map(({ key }) => key)).toEqual([])
  const lines = scripts.map((script) => `${script.key} ${script.version} ${hashOf(script)}\n`)
  await expect(lines.join('')).toMatchFileSnapshot('./versions.txt')
})

test('a script has the hash of its content', () => {
  for (const { content, sha256 } of scripts) expect(createHash('sha256').update(content).digest('hex')).toBe(sha256)
})

describe.each(scripts.map((script) => [script.key, script] as const))('%s', (_, script) => {
  /** Reads a parameter, with its default where the script has one beside it. */
  const reads = {
    bash: /\$\{PARAM_([A-Z_]+):-([^}]*)\}/g,
    sh: /\$\{PARAM_([A-Z_]+):-([^}]*)\}/g,
    python: /(?:(?:parameter|number|listed)\("|"PARAM_)([A-Za-z_]+)"(?:, "([^"]*)")?/g,
    powershell: /\$env:PARAM_([A-Z_]+)()/g,
  }[script.language]

  test('reads the parameters of its entry, and no others', () => {
    const read = [...script.content.matchAll(reads)]
      .map(([, name = '']) => name.toLowerCase())
      .filter((name) => name !== '_')
    expect([...new Set(read)].sort()).toEqual(script.parameters.map(({ name }) => name).sort())
  })

  test('has the defaults of its entry', () => {
    if (script.language === 'powershell') return
    const given = [...script.content.matchAll(reads)].map(([, name = '', value = '']) => [name.toLowerCase(), value])
    const listed = script.parameters.map(({ name, default: value }) => [name, String(value ?? '')])
    expect(Object.fromEntries(given.filter(([name]) => name !== '_'))).toEqual(Object.fromEntries(listed))
  })

  test('has defaults that its patterns match as a whole', () => {
    for (const { pattern, default: value } of script.parameters)
      if (pattern !== undefined && value !== undefined) expect(value).toMatch(new RegExp(`^(?:${pattern})$`, 'u'))
  })

  test('is plain text in lines of bearable length', () => {
    expect(script.content).toMatch(/^[\x20-\x7e\n]+\n$/)
    expect(script.content.split('\n').filter((line) => line.length > 160)).toEqual([])
  })
})

test('shellcheck finds nothing in the shell scripts', { timeout: 600_000 }, async () => {
  await debianPackages('/usr/bin/shellcheck', 'shellcheck')
  const { status, stdout } = spawnSync('shellcheck', filesOf('linux'), { encoding: 'utf8' })
  expect(stdout).toBe('')
  expect(status).toBe(0)
  for (const { content, language } of of('bash', 'sh'))
    expect(content).toMatch(language === 'sh' ? /^#!\/bin\/sh\n/ : /^#!\/usr\/bin\/env bash\n/)
})

test('no shell script silences shellcheck or runs text as code', () => {
  for (const { content } of of('bash', 'sh')) expect(content).not.toMatch(/shellcheck|\beval\b/)
})

test('pyflakes finds nothing in the Python scripts, which Python 3.6 can read', { timeout: 600_000 }, async () => {
  await debianPackages('/usr/lib/python3/dist-packages/pyflakes/__main__.py', 'python3-pyflakes')
  const run = (args: string[]) => spawnSync('/usr/bin/python3', args, { encoding: 'utf8' })
  const files = filesOf('python')
  expect(run(['-m', 'pyflakes', ...files])).toMatchObject({ status: 0, stdout: '', stderr: '' })
  const parse = 'import ast, sys\nfor path in sys.argv[1:]: ast.parse(open(path).read(), path, feature_version=(3, 6))'
  expect(run(['-c', parse, ...files])).toMatchObject({ status: 0, stderr: '' })
})

test('the grammar of PowerShell finds no error in the scripts for Windows', async () => {
  const { Language, Parser } = treeSitter
  await Parser.init()
  const parser = new Parser()
  const grammar = createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter-powershell.wasm')
  parser.setLanguage(await Language.load(grammar))
  const hasError = (source: string) => parser.parse(source)?.rootNode.hasError
  expect(hasError('if ($true) { ) }')).toBe(true)
  expect(of('powershell').filter(({ content }) => hasError(content) !== false)).toEqual([])
})

test('each script for Windows is strict, and runs no text as code', () => {
  for (const { content } of of('powershell')) {
    expect(content).toMatch(/^# .+\nSet-StrictMode -Version 2\.0\n\$ErrorActionPreference = 'Stop'\n/)
    expect(content).not.toMatch(/Invoke-Expression|\biex\b|\[scriptblock\]::Create/i)
    expect(content).toMatch(/\nexit [02]\n$/)
  }
})

test('PowerShell itself parses the scripts where it is installed', () => {
  const { status } = spawnSync('pwsh', ['-NoProfile', '-Version'])
  if (status !== 0) return
  const parse =
    '$e = $null; [void] [Management.Automation.Language.Parser]::ParseFile($args[0], [ref] $null, [ref] $e); exit $e.Count'
  for (const file of filesOf('windows')) execFileSync('pwsh', ['-NoProfile', '-Command', `& { ${parse} }`, file])
})

test('the documentation lists each script with its parameters', async () => {
  await expect(libraryPage(scripts, scriptTemplates())).toMatchFileSnapshot('../../../docs/script-library.md')
})
