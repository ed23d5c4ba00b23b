import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { drawBars } from './picture.ts'
import type { Circumstances, Report } from './report.ts'

const folder = fileURLToPath(new URL('../results/', import.meta.url))
const picture = join(folder, 'bars.svg')

const Saved = z.looseObject({
  scenario: z.string(),
  date: z.string(),
  bars: z.array(
    z.object({
      name: z.string(),
      measured: z.number(),
      limit: z.number(),
      sense: z.enum(['at least', 'at most']),
      unit: z.string(),
      isMet: z.boolean(),
    }),
  ),
})
export type Saved = z.infer<typeof Saved>

/** Keeps a result beside the others and redraws the picture of all of them. */
export function saveResult(report: Report, circumstances: Circumstances): void {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${report.scenario}.json`)
  writeFileSync(path, `${JSON.stringify({ ...report, ...circumstances }, null, 2)}\n`)
  writeFileSync(picture, drawBars(readResults()))
}

function readResults(): Saved[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return names.sort().map((name) => Saved.parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))))
}
