import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { type Mac, printed } from './mac.ts'

export type PlistValue = string | number | boolean | PlistValue[] | { [key: string]: PlistValue }

const plistBytesMax = 1024 * 1024
const depthMax = 32
const binaryMark = 'bplist'
const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const token = /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<[?!][^>]*>|<(\/?)([a-z]+)[^>]*?(\/?)>|([^<]+)/g

interface Token {
  kind: 'open' | 'close' | 'empty' | 'text'
  text: string
}

/** Parses a property list in XML; undefined when it is damaged. Dates and data stay texts. */
export function parsePlist(xml: string): PlistValue | undefined {
  const tokens = tokensOf(xml)
  let at = 0

  function requireEnd(name: string): void {
    const end = tokens[at++]
    if (end?.kind !== 'close' || end.text !== name) throw new Error('damaged')
  }
  function textOf(name: string): string {
    let text = ''
    while (tokens[at]?.kind === 'text') text += tokens[at++]?.text ?? ''
    requireEnd(name)
    return text
  }
  function skipBlanks(): void {
    while (tokens[at]?.kind === 'text' && tokens[at]?.text.trim() === '') at++
  }
  function membersOf(deep: number): PlistValue[] {
    const members: PlistValue[] = []
    for (skipBlanks(); tokens[at]?.kind !== 'close'; skipBlanks()) members.push(value(deep))
    requireEnd('array')
    return members
  }
  function entriesOf(deep: number): Record<string, PlistValue> {
    const entries: [string, PlistValue][] = []
    for (skipBlanks(); tokens[at]?.kind !== 'close'; skipBlanks()) {
      const key = tokens[at++]
      if (key?.text !== 'key') throw new Error('damaged')
      entries.push([key.kind === 'empty' ? '' : textOf('key'), value(deep)])
    }
    requireEnd('dict')
    return Object.fromEntries(entries)
  }
  function value(deep: number): PlistValue {
    skipBlanks()
    const { kind, text: name } = tokens[at++] ?? { kind: 'close', text: '' }
    if (deep > depthMax || (kind !== 'open' && kind !== 'empty')) throw new Error('damaged')
    const isEmpty = kind === 'empty'
    if (name === 'dict') return isEmpty ? {} : entriesOf(deep + 1)
    if (name === 'array') return isEmpty ? [] : membersOf(deep + 1)
    const text = isEmpty ? '' : textOf(name)
    if (name === 'true' || name === 'false') return name === 'true'
    return name === 'integer' || name === 'real' ? Number(text) : text
  }

  try {
    skipBlanks()
    if (tokens[at]?.kind !== 'open' || tokens[at++]?.text !== 'plist') return undefined
    const whole = value(0)
    skipBlanks()
    requireEnd('plist')
    return whole
  } catch {
    return undefined
  }
}

function tokensOf(xml: string): Token[] {
  return [...xml.matchAll(token)].flatMap(([, data, slash, name, empty, text]): Token[] => {
    if (text !== undefined) return [{ kind: 'text', text: decoded(text) }]
    if (data !== undefined) return [{ kind: 'text', text: data }]
    if (name === undefined) return []
    return [{ kind: slash === '/' ? 'close' : empty === '/' ? 'empty' : 'open', text: name }]
  })
}

const decoded = (text: string): string =>
  text.replaceAll(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return entities[name] ?? whole
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole
    },
  )

/** The property list of a file that has one of these texts in it; undefined for others, and for one that cannot be read. */
export async function readPlist(mac: Mac, file: string, words?: readonly string[]): Promise<PlistValue | undefined> {
  const content = await contentOf(file).catch(() => undefined)
  // Keys stand in the binary form as they do in XML.
  if (content === undefined || words?.some((word) => content.includes(word)) === false) return undefined
  const isBinary = content.toString('latin1', 0, binaryMark.length) === binaryMark
  const xml = isBinary ? await printed(mac, 'plutil', ['-convert', 'xml1', '-o', '-', file]) : content.toString('utf8')
  return parsePlist(xml)
}

async function contentOf(path: string): Promise<Buffer | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stat = await file.stat()
    return stat.isFile() && stat.size <= plistBytesMax ? await file.readFile() : undefined
  } finally {
    await file.close()
  }
}
