/*
 * A latency histogram of fixed size: values in microseconds, in buckets that are at most 1/64 of their value wide, so
 * every percentile is accurate within 1.6 %. Up to 128 µs it is exact. Histograms of several processes can be added.
 */

const stepsPerDoubling = 64
const exactBelow = stepsPerDoubling * 2
const doublings = 32
const bucketCount = exactBelow + (doublings - 7) * stepsPerDoubling

/** Only the nonempty buckets, for messages between processes. */
export interface HistogramParts {
  readonly indexes: number[]
  readonly counts: number[]
  readonly largest: number
  readonly sum: number
}

export class Histogram {
  readonly #counts = new Float64Array(bucketCount)
  #count = 0
  #largest = 0
  #sum = 0

  get count(): number {
    return this.#count
  }

  get largest(): number {
    return this.#largest
  }

  get mean(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count
  }

  record(micros: number): void {
    const value = micros > 0 ? Math.floor(micros) : 0
    const index = bucketOf(value)
    this.#counts[index] = (this.#counts[index] ?? 0) + 1
    this.#count++
    this.#sum += value
    if (value > this.#largest) this.#largest = value
  }

  /** The value that this share (0 to 1) of all values does not exceed; 0 when there are none. */
  percentile(share: number): number {
    if (this.#count === 0) return 0
    const rank = Math.max(1, Math.ceil(share * this.#count))
    let seen = 0
    for (let index = 0; index < bucketCount; index++) {
      seen += this.#counts[index] ?? 0
      if (seen >= rank) return Math.min(upperBoundOf(index), this.#largest)
    }
    return this.#largest
  }

  add(parts: HistogramParts): void {
    for (const [position, index] of parts.indexes.entries()) {
      const count = parts.counts[position] ?? 0
      this.#counts[index] = (this.#counts[index] ?? 0) + count
      this.#count += count
    }
    this.#sum += parts.sum
    if (parts.largest > this.#largest) this.#largest = parts.largest
  }

  parts(): HistogramParts {
    const indexes: number[] = []
    const counts: number[] = []
    for (let index = 0; index < bucketCount; index++) {
      const count = this.#counts[index] ?? 0
      if (count === 0) continue
      indexes.push(index)
      counts.push(count)
    }
    return { indexes, counts, largest: this.#largest, sum: this.#sum }
  }

  clear(): void {
    this.#counts.fill(0)
    this.#count = 0
    this.#largest = 0
    this.#sum = 0
  }
}

function bucketOf(value: number): number {
  if (value < exactBelow) return value
  const doubling = 31 - Math.clz32(Math.min(value, 0xffffffff))
  const step = Math.floor(value / 2 ** (doubling - 6)) - stepsPerDoubling
  return Math.min(bucketCount - 1, exactBelow + (doubling - 7) * stepsPerDoubling + step)
}

/** The largest value in a bucket. */
function upperBoundOf(index: number): number {
  if (index < exactBelow) return index
  const doubling = 7 + Math.floor((index - exactBelow) / stepsPerDoubling)
  const step = (index - exactBelow) % stepsPerDoubling
  return (stepsPerDoubling + step + 1) * 2 ** (doubling - 6) - 1
}

/** The printed values of a histogram, in milliseconds. */
export interface Percentiles {
  readonly count: number
  readonly mean: number
  readonly p50: number
  readonly p90: number
  readonly p95: number
  readonly p99: number
  readonly p999: number
  readonly max: number
}

export function percentilesOf(histogram: Histogram): Percentiles {
  const ms = (micros: number) => Math.round(micros) / 1000
  const at = (share: number) => ms(histogram.percentile(share))
  return {
    count: histogram.count,
    mean: ms(histogram.mean),
    p50: at(0.5),
    p90: at(0.9),
    p95: at(0.95),
    p99: at(0.99),
    p999: at(0.999),
    max: ms(histogram.largest),
  }
}
