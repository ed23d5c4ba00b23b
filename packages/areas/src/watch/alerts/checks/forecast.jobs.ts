// Rules on where a metric is going: a line through the last hours, drawn on.
import { asSystem } from '@muster/db/database.ts'
import { every } from '../../../background/job.ts'
import type { WorkerParts } from '../../../background/worker-parts.ts'
import { applyTransitions } from '../evaluation/transitions.ts'
import { figureText, metricLabel } from '../rules/metric-words.contract.ts'
import { linesOf, reaches } from './forecast-lines.ts'
import { conditionOfKind, enabledRules, type Found, transitionsOf } from './scan.ts'

export async function lookAhead({ pool, publish }: Pick<WorkerParts, 'pool' | 'publish'>): Promise<void> {
  for (const rule of await asSystem(pool, (db) => enabledRules(db, 'forecast'))) {
    const condition = conditionOfKind(rule, 'forecast')
    if (condition === null) continue
    const { metric, threshold, withinHours } = condition
    const events = await asSystem(pool, async (db) => {
      const found = (await linesOf(db, rule, metric, withinHours)).map((line): Found => {
        const reached = Math.round((line.atEnd ?? 0) * 10) / 10
        const words = [figureText(metric, reached), figureText(metric, threshold)]
        const summary = `${metricLabel(metric)} will be ${words[0]} within ${withinHours} hours. The threshold is ${words[1]}`
        return {
          ...line,
          holds: reaches(metric, threshold, line),
          context: { summary, metric, value: reached, threshold },
        }
      })
      return applyTransitions(db, transitionsOf(rule, found, Date.now()))
    })
    await publish(events)
  }
}

export const forecastAlerts = every(60_000, 'alert-forecasts', lookAhead)
