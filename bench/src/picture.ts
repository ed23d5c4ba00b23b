import type { Saved } from './saved.ts'

/*
 * All limits of all saved results in one picture: how many times better (right) or worse (left) than the limit, on a
 * logarithmic scale.
 */

const width = 960
const left = 470
const rowHeight = 22
const headHeight = 30
const top = 56
const doublingsMax = 5
const doublingWidth = (width - left - 150) / (doublingsMax * 1.6)
const zero = left + doublingWidth * doublingsMax * 0.6
const colors = { met: '#2e7d32', missed: '#c62828', text: '#222222', faint: '#777777', line: '#bbbbbb' } as const

type Bar = Saved['bars'][number]

/** The picture as SVG text. */
export function drawBars(results: readonly Saved[]): string {
  const parts: string[] = []
  let y = top
  for (const { scenario, date, bars } of results) {
    if (bars.length === 0) continue
    parts.push(text(16, y + 18, scenario, { bold: true }), text(width - 16, y + 18, date.slice(0, 10), { end: true }))
    y += headHeight
    for (const bar of bars) {
      parts.push(...row(bar, y))
      y += rowHeight
    }
    y += 8
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + 16}" font-family="Helvetica, Arial, sans-serif" font-size="12">`,
    `<rect width="${width}" height="${y + 16}" fill="#ffffff"/>`,
    text(16, 24, 'Measured against what is promised', { bold: true, size: 16 }),
    ...scale(y),
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}

function scale(bottom: number): string[] {
  const marks = [-2, -1, 0, 1, 2, 3, 4, 5].map((doubling) => {
    const x = zero + doubling * doublingWidth
    const label = doubling < 0 ? `1/${2 ** -doubling}` : `${2 ** doubling}×`
    const weight = doubling === 0 ? 2 : 0.5
    return `<line x1="${x}" y1="${top - 8}" x2="${x}" y2="${bottom}" stroke="${colors.line}" stroke-width="${weight}"/>${text(x, top - 14, label, { middle: true, faint: true })}`
  })
  return [text(zero, 24, 'the bar', { middle: true, faint: true }), ...marks]
}

function row(bar: Bar, y: number): string[] {
  const doublings = Math.max(-2.8, Math.min(doublingsMax, Math.log2(timesBetter(bar))))
  const from = Math.min(zero, zero + doublings * doublingWidth)
  const length = Math.max(2, Math.abs(doublings) * doublingWidth)
  const color = bar.isMet ? colors.met : colors.missed
  const said = `${bar.measured}${bar.unit} (${bar.sense === 'at least' ? '≥' : '≤'} ${bar.limit}${bar.unit})`
  return [
    text(28, y + 14, bar.name, {}),
    `<rect x="${from.toFixed(1)}" y="${y + 3}" width="${length.toFixed(1)}" height="${rowHeight - 8}" fill="${color}"/>`,
    text(width - 16, y + 14, said, { end: true }),
  ]
}

/** Above 1 when the limit is met. A limit of 0 that is met counts as met by far. */
function timesBetter({ measured, limit, sense, isMet }: Bar): number {
  const ratio = sense === 'at least' ? measured / limit : limit / measured
  return Number.isFinite(ratio) && ratio > 0 ? ratio : isMet ? 1 : 0.25
}

interface Look {
  readonly bold?: boolean
  readonly size?: number
  readonly middle?: boolean
  readonly end?: boolean
  readonly faint?: boolean
}

function text(x: number, y: number, words: string, { bold, size, middle, end, faint }: Look): string {
  const anchor = middle ? ' text-anchor="middle"' : end ? ' text-anchor="end"' : ''
  const look = `${bold ? ' font-weight="bold"' : ''}${size ? ` font-size="${size}"` : ''}${anchor}`
  const safe = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${x}" y="${y}" fill="${faint ? colors.faint : colors.text}"${look}>${safe}</text>`
}
