import type { Line } from '../checks/forecast-lines.ts'

const hourMs = 3_600_000

/** The line through the values of the last hours, kept as values arrive. */
export class TrailingLine {
  readonly #spanMs: number
  readonly #xs: number[] = []
  readonly #ys: number[] = []
  #start = 0
  // Values are counted from the first one, so that sums of squares stay exact.
  #firstMs = Number.NaN
  #firstValue = 0
  #x = 0
  #y = 0
  #xx = 0
  #xy = 0
  #yy = 0

  constructor(hours: number) {
    this.#spanMs = hours * hourMs
  }

  add(atMs: number, value: number): void {
    if (Number.isNaN(this.#firstMs)) [this.#firstMs, this.#firstValue] = [atMs, value]
    const [x, y] = [(atMs - this.#firstMs) / hourMs, value - this.#firstValue]
    this.#xs.push(x)
    this.#ys.push(y)
    this.#count(x, y, 1)
  }

  /** The line at a time, and where it ends some hours later. */
  at(nowMs: number, withinHours: number): Pick<Line, 'slope' | 'fit' | 'samples' | 'atEnd'> {
    const leastX = (nowMs - this.#spanMs - this.#firstMs) / hourMs
    while (this.#start < this.#xs.length && (this.#xs[this.#start] ?? 0) <= leastX) {
      this.#count(this.#xs[this.#start] ?? 0, this.#ys[this.#start] ?? 0, -1)
      this.#start++
    }
    const samples = this.#xs.length - this.#start
    const sxx = this.#xx - (this.#x * this.#x) / samples
    if (samples < 2 || sxx <= 0) return { slope: null, fit: null, samples, atEnd: null }
    const sxy = this.#xy - (this.#x * this.#y) / samples
    const syy = this.#yy - (this.#y * this.#y) / samples
    const slope = sxy / sxx
    const atX = (nowMs - this.#firstMs) / hourMs + withinHours
    const atEnd = this.#firstValue + this.#y / samples + slope * (atX - this.#x / samples)
    return { slope, fit: syy <= 0 ? 1 : (sxy * sxy) / (sxx * syy), samples, atEnd }
  }

  #count(x: number, y: number, sign: 1 | -1): void {
    this.#x += sign * x
    this.#y += sign * y
    this.#xx += sign * x * x
    this.#xy += sign * x * y
    this.#yy += sign * y * y
  }
}
