/** An element of an XML document that Windows wrote. */
export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Element[]
  /** Its own text, without that of its children. */
  readonly text: string
}

interface Open extends Element {
  children: Element[]
  text: string
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const token =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\?[\s\S]*?\?>|<!DOCTYPE[^>]*>|<\/([^\s>]+)\s*>|<([^\s/>]+)((?:\s+[^\s=>]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|([^<]+)/g
const attribute = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

/** Parses the XML of the event log and of scheduled tasks. Namespaces are left out; entities of its own are not resolved. */
export function parseXml(text: string): Element {
  const root: Open = { name: '', attributes: {}, children: [], text: '' }
  const open: Open[] = [root]
  for (const [, cdata, closed, opened, attributes = '', selfClosed, words] of text.matchAll(token)) {
    const current = open.at(-1) ?? root
    if (cdata !== undefined) current.text += cdata
    else if (words !== undefined) current.text += decoded(words)
    else if (closed !== undefined && open.length > 1) open.pop()
    else if (opened !== undefined) {
      const element: Open = { name: localName(opened), attributes: attributesIn(attributes), children: [], text: '' }
      current.children.push(element)
      if (selfClosed !== '/') open.push(element)
    }
  }
  return root
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

function attributesIn(text: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [, name = '', double, single] of text.matchAll(attribute))
    found[localName(name)] = decoded(double ?? single ?? '')
  return found
}

function decoded(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w+));/g, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities[name] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10_ffff ? String.fromCodePoint(code) : whole
  })
}

/** The first element at a path of names. */
export function find(element: Element | undefined, ...names: readonly string[]): Element | undefined {
  return names.reduce<Element | undefined>((at, name) => at?.children.find((child) => child.name === name), element)
}

export const textOf = (element: Element | undefined, ...names: readonly string[]): string | undefined =>
  find(element, ...names)?.text.trim() || undefined
