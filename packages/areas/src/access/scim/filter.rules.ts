// SCIM filters (RFC 7644, 3.4.2.2): parses the text and matches values in memory. `filter.sql.ts` compiles the same tree.

type Comparison = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le'
export type Literal = string | number | boolean | null

export type Filter =
  | { readonly kind: 'and' | 'or'; readonly left: Filter; readonly right: Filter }
  | { readonly kind: 'not'; readonly inner: Filter }
  | { readonly kind: 'present'; readonly attribute: string }
  | { readonly kind: 'compare'; readonly attribute: string; readonly by: Comparison; readonly value: Literal }
  /** `emails[type eq "work"]`: at least one value of the attribute matches. */
  | { readonly kind: 'some'; readonly attribute: string; readonly inner: Filter }

/** The target of a PATCH operation: an attribute, optionally a sub-attribute and a filter of its values. */
export interface Path {
  readonly attribute: string
  readonly which: Filter | null
  readonly part: string | null
}

/** The text is not a valid filter or path. */
export class NotAFilter extends Error {
  override readonly name = 'NotAFilter'
}

const comparisons: readonly string[] = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le']
const isComparison = (text: string): text is Comparison => comparisons.includes(text)
const depthMax = 20
const token = /\s*(?:("(?:[^"\\]|\\.)*")|([()[\]])|(-?\d+(?:\.\d+)?(?=[\s)\]]|$))|([A-Za-z$][\w$:.-]*))/y

// A schema may precede an attribute. Attribute names are unique across the schemas of this service.
const schema = /^urn:ietf:params:scim:schemas:[\w:.]*?:(?=[^:]*$)/i
/** The name of an attribute for comparison: lower case, without the schema. */
export const plainName = (name: string): string => name.replace(schema, '').toLowerCase()

function tokensOf(text: string): string[] {
  const tokens: string[] = []
  token.lastIndex = 0
  while (token.lastIndex < text.length) {
    if (text.slice(token.lastIndex).trim() === '') break
    const found = token.exec(text)
    if (found === null) throw new NotAFilter('filter: cannot be parsed')
    tokens.push(found[0].trim())
  }
  return tokens
}

class Reader {
  readonly #tokens: readonly string[]
  #at = 0
  #depth = 0

  constructor(text: string) {
    this.#tokens = tokensOf(text)
  }

  peek(): string {
    return this.#tokens[this.#at] ?? ''
  }
  next(): string {
    const found = this.#tokens[this.#at]
    if (found === undefined) throw new NotAFilter('filter: ends too early')
    this.#at++
    return found
  }
  expect(wanted: string): void {
    if (this.next() !== wanted) throw new NotAFilter(`filter: ${wanted} is missing`)
  }
  end(): void {
    if (this.#at < this.#tokens.length) throw new NotAFilter('filter: has text after its end')
  }
  name(): string {
    const name = this.next()
    if (!/^[A-Za-z$]/.test(name)) throw new NotAFilter(`filter: ${name} is not an attribute name`)
    return plainName(name)
  }

  either(): Filter {
    if (++this.#depth > depthMax) throw new NotAFilter('filter: is nested too deeply')
    let left = this.both()
    while (this.peek().toLowerCase() === 'or') {
      this.next()
      left = { kind: 'or', left, right: this.both() }
    }
    this.#depth--
    return left
  }

  both(): Filter {
    let left = this.one()
    while (this.peek().toLowerCase() === 'and') {
      this.next()
      left = { kind: 'and', left, right: this.one() }
    }
    return left
  }

  one(): Filter {
    if (this.peek().toLowerCase() === 'not') {
      this.next()
      this.expect('(')
      return { kind: 'not', inner: this.inside(')') }
    }
    if (this.peek() === '(') {
      this.next()
      return this.inside(')')
    }
    const attribute = this.name()
    if (this.peek() === '[') {
      this.next()
      return { kind: 'some', attribute, inner: this.inside(']') }
    }
    const by = this.next().toLowerCase()
    if (by === 'pr') return { kind: 'present', attribute }
    if (!isComparison(by)) throw new NotAFilter(`filter: ${by} is not an operator`)
    return { kind: 'compare', attribute, by, value: this.literal() }
  }

  inside(end: string): Filter {
    const inner = this.either()
    this.expect(end)
    return inner
  }

  literal(): Literal {
    const text = this.next()
    if (text.startsWith('"')) return unquoted(text)
    const lower = text.toLowerCase()
    if (lower === 'true' || lower === 'false') return lower === 'true'
    if (lower === 'null') return null
    if (/^-?\d/.test(text)) return Number(text)
    throw new NotAFilter(`filter: ${text} is not a value`)
  }
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text))
  } catch {
    throw new NotAFilter('filter: contains an invalid string')
  }
}

/** @throws NotAFilter */
export function parseFilter(text: string): Filter {
  const reader = new Reader(text)
  const filter = reader.either()
  reader.end()
  return filter
}

/** @throws NotAFilter */
export function parsePath(text: string): Path {
  const open = text.indexOf('[')
  if (open === -1) {
    const [attribute = '', part = null, ...more] = plainName(text.trim()).split('.')
    if (!/^[a-z$][\w$-]*$/.test(attribute) || more.length > 0) throw new NotAFilter('path: cannot be parsed')
    return { attribute, which: null, part }
  }
  const close = text.lastIndexOf(']')
  const attribute = plainName(text.slice(0, open).trim())
  const rest = text.slice(close + 1).trim()
  if (close < open || !/^[a-z$][\w$-]*$/.test(attribute) || !/^(\.[A-Za-z$][\w$-]*)?$/.test(rest)) {
    throw new NotAFilter('path: cannot be parsed')
  }
  return {
    attribute,
    which: parseFilter(text.slice(open + 1, close)),
    part: rest === '' ? null : rest.slice(1).toLowerCase(),
  }
}

/** The value of an attribute whose name may be in any case. */
export function valueUnder(holder: unknown, name: string): unknown {
  if (holder === null || typeof holder !== 'object' || Array.isArray(holder)) return undefined
  return Object.entries(holder).find(([key]) => plainName(key) === name)?.[1]
}

const asText = (value: unknown): string | null =>
  typeof value === 'string'
    ? value.toLowerCase()
    : typeof value === 'boolean' || typeof value === 'number'
      ? String(value)
      : null

/** Whether one value of a multi-valued attribute matches. Plain values have the name `value`. */
export function matches(value: unknown, filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
      return matches(value, filter.left) && matches(value, filter.right)
    case 'or':
      return matches(value, filter.left) || matches(value, filter.right)
    case 'not':
      return !matches(value, filter.inner)
    case 'some':
      return false
    case 'present':
      return valueUnder(value, filter.attribute) !== undefined
    case 'compare': {
      const isPlain = value === null || typeof value !== 'object'
      const found = asText(isPlain && filter.attribute === 'value' ? value : valueUnder(value, filter.attribute))
      const wanted = asText(filter.value)
      if (filter.by === 'ne') return found !== wanted
      if (found === null || wanted === null) return filter.by === 'eq' && found === wanted
      return compared(found, wanted, filter.by)
    }
  }
}

function compared(found: string, wanted: string, by: Exclude<Comparison, 'ne'>): boolean {
  switch (by) {
    case 'eq':
      return found === wanted
    case 'co':
      return found.includes(wanted)
    case 'sw':
      return found.startsWith(wanted)
    case 'ew':
      return found.endsWith(wanted)
    case 'gt':
      return found > wanted
    case 'ge':
      return found >= wanted
    case 'lt':
      return found < wanted
    case 'le':
      return found <= wanted
  }
}
