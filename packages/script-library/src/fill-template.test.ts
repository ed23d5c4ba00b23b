import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { debianPackages } from '@muster/testkit/debian.ts'
import treeSitter from '@vscode/tree-sitter-wasm'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { fillTemplate } from './fill-template.ts'
import { literalOf } from './literal.ts'
import { scriptTemplates } from './script-templates.ts'

const templates = scriptTemplates()
const folder = mkdtempSync(join(tmpdir(), 'muster-templates-'))
afterAll(() => rmSync(folder, { recursive: true }))

const hostile = `'; touch /tmp/x; $(id) \`id\` "$HOME" {{name}} \u2019; Remove-Item x; \u201d # \\' \\`

/** A value for each blank: hostile where the blank takes any text. */
function valuesOf(template: (typeof templates)[number]) {
  const examples: Record<string, string> = {
    url: 'https://example.com/$(id)',
    sha256: 'a'.repeat(64),
    key: `SOFTWARE\\${hostile}`,
    folder: template.language === 'powershell' ? `C:\\$(id)' ‘x` : `/${hostile}`,
  }
  const values = template.blanks.map((blank) => {
    if (blank.default !== undefined && blank.pattern !== undefined) return [blank.name, blank.default]
    if (blank.choices) return [blank.name, blank.choices[0]]
    if (blank.type === 'number') return [blank.name, blank.min]
    if (blank.type === 'boolean') return [blank.name, true]
    if (blank.pattern === undefined) return [blank.name, hostile]
    return [blank.name, blank.pattern.startsWith('/') ? `/${hostile}` : (examples[blank.name] ?? 'name')]
  })
  return Object.fromEntries(values)
}

function filled(template: (typeof templates)[number]): string {
  const answer = fillTemplate(template, valuesOf(template))
  if ('problems' in answer) throw new Error(JSON.stringify(answer.problems))
  return answer.content
}

describe('the templates', () => {
  test('are at least twelve, each with an ID of its own', () => {
    expect(templates.length).toBeGreaterThanOrEqual(12)
    const version5 = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
    for (const { id } of templates) expect(id).toMatch(version5)
    expect(new Set(templates.map(({ id }) => id)).size).toBe(templates.length)
    expect(templates.find(({ key }) => key === 'templates/check-url')?.id).toBe('d91cf0dd-5198-5cd4-a2bd-dc87d150b0de')
  })

  test.each(templates.map((each) => [each.key, each] as const))(
    '%s has each blank once, as a whole literal',
    (_, template) => {
      const places = template.content.split('\n').filter((line) => line.includes('{{'))
      const sign = template.language === 'powershell' ? '$' : ''
      const equals = template.language === 'bash' || template.language === 'sh' ? '=' : ' = '
      expect(places).toEqual(template.blanks.map(({ name }) => `${sign}${name}${equals}{{${name}}}`))
    },
  )

  test('are valid when hostile values fill them', { timeout: 600_000 }, async () => {
    await debianPackages('/usr/bin/shellcheck', 'shellcheck')
    const { Language, Parser } = treeSitter
    await Parser.init()
    const parser = new Parser()
    const grammar = createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter-powershell.wasm')
    parser.setLanguage(await Language.load(grammar))
    const files = { shell: [] as string[], python: [] as string[] }
    for (const template of templates) {
      const file = join(folder, template.key.replace('/', '-'))
      writeFileSync(file, filled(template))
      if (template.language === 'powershell') expect(parser.parse(filled(template))?.rootNode.hasError).toBe(false)
      else files[template.language === 'python' ? 'python' : 'shell'].push(file)
    }
    // These notes are about what single quotes hold: it does not expand, as it should.
    const checked = spawnSync('shellcheck', ['--exclude=SC1003,SC1112,SC2016', ...files.shell], { encoding: 'utf8' })
    expect(checked.stdout).toBe('')
    const parse =
      'import ast, sys\nfor path in sys.argv[1:]: ast.parse(open(path).read(), path, feature_version=(3, 6))'
    expect(spawnSync('/usr/bin/python3', ['-c', parse, ...files.python], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    })
  })
})

describe('a literal', () => {
  const oneLine = fc
    .string({ unit: 'binary', maxLength: 40 })
    .filter((text) => !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text))
  const quotes = fc.string({
    unit: fc.constantFrom(...`'"\\$\`{}()\u2018\u2019\u201a\u201b\u{1f600}a `),
    maxLength: 20,
  })
  const texts = [hostile, '', '-n', ...fc.sample(fc.oneof(oneLine, quotes), 400)]
  const ends = (output: string) => output.split('\0').slice(0, -1)

  test.each(['bash', 'sh'] as const)('of %s is the same text for the shell', (language) => {
    const script = texts.map((text) => `value=${literalOf(language, text)}\nprintf '%s\\000' "$value"`).join('\n')
    const output = execFileSync(`/bin/${language}`, { input: script, encoding: 'utf8', env: { LC_ALL: 'C.UTF-8' } })
    expect(ends(output)).toEqual(texts)
  })

  test('of Python is the same text, number or truth for Python', () => {
    const lines = texts.map((text) => `print(${literalOf('python', text)}, end="\\0")`)
    const others = [true, false, -5, 0].map((value) => `print(${literalOf('python', value)}, end="\\0")`)
    const input = [...lines, ...others].join('\n')
    const output = execFileSync('/usr/bin/python3', ['-X', 'utf8', '-'], { input, encoding: 'utf8' })
    expect(ends(output)).toEqual([...texts, 'True', 'False', '-5', '0'])
  })

  test('of PowerShell holds the text, with every quote doubled', () => {
    for (const text of texts) {
      const literal = literalOf('powershell', text)
      expect(literal).toMatch(/^'(?:[^'\u2018-\u201b]|(['\u2018-\u201b])\1)*'$/u)
      expect(literal.slice(1, -1).replace(/(['\u2018-\u201b])\1/g, '$1')).toBe(text)
    }
    expect(literalOf('powershell', true)).toBe('$true')
    expect(literalOf('powershell', -5)).toBe('-5')
  })
})

describe('a template is not filled', () => {
  const template = {
    language: 'bash' as const,
    content: 'name={{name}}\ncount={{count}}\nmode={{mode}}\nquick={{quick}}\n',
    blanks: [
      { name: 'name', label: 'Name', type: 'text' as const, required: true, pattern: '[a-z]+' },
      { name: 'count', label: 'Count', type: 'number' as const, required: false, default: 1, min: 1, max: 9 },
      { name: 'mode', label: 'Mode', type: 'choice' as const, required: false, default: 'a', choices: ['a', 'b'] },
      { name: 'quick', label: 'Quick', type: 'boolean' as const, required: false, default: false },
    ],
  }

  test.each([
    [{}, 'name', 'is required'],
    [{ name: '' }, 'name', 'must not be empty'],
    [{ name: 'aA' }, 'name', 'must match [a-z]+'],
    [{ name: 'a\nb' }, 'name', 'must be one line without control characters'],
    [{ name: '\ud800' }, 'name', 'must be one line without control characters'],
    [{ name: 'a'.repeat(8193) }, 'name', 'must have at most 8192 characters'],
    [{ name: 5 }, 'name', 'must be a text'],
    [{ name: 'a', count: '1; id' }, 'count', 'must be a whole number'],
    [{ name: 'a', count: 1.5 }, 'count', 'must be a whole number'],
    [{ name: 'a', count: 10 }, 'count', 'must be from 1 to 9'],
    [{ name: 'a', mode: 'c' }, 'mode', 'must be one of a, b'],
    [{ name: 'a', quick: 'true' }, 'quick', 'must be true or false'],
    [{ name: 'a', other: 1 }, 'other', 'is not a blank of this template'],
    [JSON.parse('{ "name": "a", "__proto__": 1 }'), '__proto__', 'is not a blank of this template'],
  ])('with %j', (values, blank, message) => {
    expect(fillTemplate(template, values)).toEqual({ problems: [{ blank, message }] })
  })

  test('but with values that fit, and the defaults for the rest', () => {
    const content = "name='abc'\ncount=1\nmode='b'\nquick=true\n"
    expect(fillTemplate(template, { name: 'abc', mode: 'b', quick: true })).toEqual({ content })
  })
})
