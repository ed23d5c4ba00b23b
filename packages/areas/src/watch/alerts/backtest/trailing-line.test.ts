import { expect, it } from 'vitest'
import { TrailingLine } from './trailing-line.ts'

const hourMs = 3_600_000

/** The line through points, without shortcuts. */
function naive(points: readonly (readonly [number, number])[]) {
  const mean = (of: readonly number[]) => of.reduce((sum, each) => sum + each, 0) / of.length
  const [mx, my] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))]
  const sum = (of: (x: number, y: number) => number) => points.reduce((all, [x, y]) => all + of(x - mx, y - my), 0)
  const [sxx, sxy, syy] = [sum((x) => x * x), sum((x, y) => x * y), sum((_, y) => y * y)]
  return { slope: sxy / sxx, fit: (sxy * sxy) / (sxx * syy), at: (x: number) => my + (sxy / sxx) * (x - mx) }
}

it('is the line through the values of the last hours', () => {
  const line = new TrailingLine(6)
  const points: [number, number][] = []
  for (let step = 0; step < 400; step++) {
    // A power of two keeps the times exact.
    const x = step / 16
    const value = 5e11 + 1e8 * x + 3e8 * Math.sin(step)
    points.push([x, value])
    line.add(x * hourMs, value)
    const last = points.filter(([at]) => at > x - 6)
    const { slope, fit, samples, atEnd } = line.at(x * hourMs, 24)
    expect(samples).toBe(last.length)
    if (last.length < 3) continue
    const wanted = naive(last)
    expect((slope ?? 0) / wanted.slope).toBeCloseTo(1, 6)
    expect(fit).toBeCloseTo(wanted.fit, 6)
    expect((atEnd ?? 0) / wanted.at(x + 24)).toBeCloseTo(1, 9)
  }
})

it('is unknown with less than two values', () => {
  const line = new TrailingLine(6)
  expect(line.at(0, 1)).toMatchObject({ slope: null, samples: 0 })
  line.add(0, 5)
  expect(line.at(0, 1)).toMatchObject({ slope: null, samples: 1 })
})
