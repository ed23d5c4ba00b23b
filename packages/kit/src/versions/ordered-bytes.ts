// Bytes whose order is the order of what they were written from, so that an index can answer "below this version".

const digitsMax = 250

/** Collects the parts of one sort key. */
export class OrderedBytes {
  readonly #bytes: number[] = []

  /** A mark or a character. It decides before all that follows. */
  byte(value: number): void {
    this.#bytes.push(value)
  }

  /**
   * A whole number of any length, given as digits; none is zero. More digits are more.
   * @throws RangeError beyond 250 digits
   */
  number(digits: string): void {
    const significant = digits.replace(/^0+/, '')
    if (significant.length > digitsMax) throw new RangeError(`more than ${digitsMax} digits`)
    this.#bytes.push(significant.length)
    this.text(significant)
  }

  /** Characters of ASCII. What may follow needs a mark below them in between. */
  text(characters: string): void {
    for (let at = 0; at < characters.length; at++) this.#bytes.push(characters.charCodeAt(at))
  }

  end(): Uint8Array {
    return Uint8Array.from(this.#bytes)
  }
}
