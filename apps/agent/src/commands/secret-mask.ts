const mark = '***'
/** Shorter values would hide much that is no secret. */
const maskedBytesMin = 4

/** The forms in which a value is printed: as it is, without blanks around it, and with the line ends of Windows. */
const formsOf = (value: string): string[] => [value, value.trim(), value.replaceAll(/\r?\n/g, '\r\n')]

interface Span {
  readonly from: number
  to: number
}

/** Replaces secret values in a text that arrives in pieces. The end of a piece that may begin a value waits for the next one. */
export class SecretMask {
  readonly #values: readonly string[]
  #held = ''

  constructor(values: readonly string[]) {
    const forms = new Set(values.flatMap(formsOf))
    this.#values = [...forms].filter((form) => Buffer.byteLength(form) >= maskedBytesMin)
  }

  write(piece: string): string {
    if (this.#values.length === 0) return piece
    const text = this.#held + piece
    const spans = this.#spansIn(text)
    let end = text.length - this.#heldLength(text)
    // A value that reaches into the held part may be the beginning of a longer one.
    for (const { from, to } of spans.toReversed()) if (from < end && to > end) end = from
    this.#held = text.slice(end)
    return masked(text.slice(0, end), spans)
  }

  /** The rest. */
  end(): string {
    const text = this.#held
    this.#held = ''
    return masked(text, this.#spansIn(text))
  }

  /** Where values are, from left to right; those that overlap as one. */
  #spansIn(text: string): Span[] {
    const found: Span[] = []
    for (const value of this.#values)
      for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1))
        found.push({ from: at, to: at + value.length })
    const spans: Span[] = []
    for (const span of found.sort((one, other) => one.from - other.from)) {
      const last = spans.at(-1)
      if (last === undefined || span.from >= last.to) spans.push(span)
      else last.to = Math.max(last.to, span.to)
    }
    return spans
  }

  /** The longest end of a text with which a value may begin. */
  #heldLength(text: string): number {
    let longest = 0
    for (const value of this.#values)
      for (let length = Math.min(value.length - 1, text.length); length > longest; length--)
        if (text.endsWith(value.slice(0, length))) longest = length
    return longest
  }
}

function masked(text: string, spans: readonly Span[]): string {
  let shown = ''
  let at = 0
  for (const { from, to } of spans) {
    if (to > text.length) break
    shown += text.slice(at, from) + mark
    at = to
  }
  return shown + text.slice(at)
}
