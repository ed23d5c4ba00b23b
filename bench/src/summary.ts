import type { Saved } from './saved.ts'

/*
 * bench/RESULTS.md, generated completely from the saved results and notes.
 */

const intro = `# Results

Written by \`npm run bench -- <scenario> --save\` from the files in [results/](results); what was tried stands in [notes/](notes).
PostgreSQL, Redis, every process of Muster and the load generator share one machine. References (R1–R5) run in the same run, in
turn with Muster, so that other load of the machine slows both: ratios are what to compare, and they are medians of the rounds.
What each scenario does and how long it takes: [README.md](README.md).

![Every bar and what was measured](results/bars.svg)
`

/** The whole document. @param notes by scenario */
export function summarize(results: readonly Saved[], notes: ReadonlyMap<string, string>): string {
  const parts = [intro, overview(results)]
  for (const result of results) parts.push(section(result, notes.get(result.scenario)))
  return `${parts.join('\n')}`
}

function overview(results: readonly Saved[]): string {
  const rows = results.flatMap(({ scenario, bars }) =>
    bars.map((bar) => [
      scenario,
      bar.name,
      `${bar.measured}${bar.unit}`,
      `${bar.sense === 'at least' ? '≥' : '≤'} ${bar.limit}${bar.unit}`,
      bar.isMet ? 'met' : '**missed**',
    ]),
  )
  return markdown(['scenario', 'what', 'measured', 'bar', ''], rows)
}

function section(
  { scenario, date, command, machine, node, loadBefore, loadAfter, tables }: Saved,
  note?: string,
): string {
  const when = `${date.slice(0, 16).replace('T', ' ')} UTC`
  const head = `## ${scenario}\n\n\`${command}\`, ${when}. ${machine}, Node ${node}; load average ${loadBefore} before, ${loadAfter} after.\n`
  const shown = tables.map(({ title, head: columns, rows }) => `${title}\n\n${markdown(columns, rows)}`)
  return [head, ...shown, ...(note === undefined ? [] : [`${note.trim()}\n`])].join('\n')
}

function markdown(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line), ''].join('\n')
}
