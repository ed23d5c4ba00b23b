import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64 } from 'hdr-histogram-js'

/** More than an hour in microseconds. */
const highest = 2 ** 32 - 1

/** For messages between processes. */
export interface HistogramParts {
  readonly encoded: string
  readonly largest: number
  readonly sum: number
}

/** Latencies in microseconds. Percentiles are never too low and at most 1 % too high. Histograms of several processes add up. */
export class Histogram {
  readonly #buckets = build({ bitBucketSize: 64, highestTrackableValue: highest, numberOfSignificantValueDigits: 2 })
  #largest = 0
  #sum = 0

  get count(): number {
    return this.#buckets.totalCount
  }

  get largest(): number {
    return this.#largest
  }

  get mean(): number {
    return this.count === 0 ? 0 : this.#sum / this.count
  }

  /** @param times how often the value occurred */
  record(micros: number, times = 1): void {
    const value = micros > 0 ? Math.floor(micros) : 0
    this.#buckets.recordValueWithCount(Math.min(value, highest), times)
    this.#sum += value * times
    if (value > this.#largest) this.#largest = value
  }

  /** The value that this share (0 to 1) of all values does not exceed; 0 when there are none. */
  percentile(share: number): number {
    if (this.count === 0) return 0
    // At 0 the library answers with the lower end of the bucket of the smallest value.
    return Math.min(this.#buckets.getValueAtPercentile(Math.max(share * 100, Number.MIN_VALUE)), this.#largest)
  }

  add({ encoded, largest, sum }: HistogramParts): void {
    this.#buckets.add(decodeFromCompressedBase64(encoded))
    this.#sum += sum
    if (largest > this.#largest) this.#largest = largest
  }

  parts(): HistogramParts {
    return { encoded: encodeIntoCompressedBase64(this.#buckets), largest: this.#largest, sum: this.#sum }
  }

  clear(): void {
    this.#buckets.reset()
    this.#largest = 0
    this.#sum = 0
  }
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
