import { wholeNumber } from '@muster/kit/config.ts'
import { z } from 'zod'

declare module '../../background/worker-parts.ts' {
  interface BackgroundSettings {
    /** How many days metrics are kept, by resolution. */
    readonly metricDays: { readonly raw: number; readonly fiveMinutes: number; readonly hours: number }
  }
}

/** How many days metrics are kept: heartbeats, and averages of five minutes and of an hour. */
export const workerEnvironment = {
  METRICS_RAW_DAYS: wholeNumber(2, 365, 7),
  METRICS_FIVE_MINUTE_DAYS: wholeNumber(2, 3_650, 30),
  METRICS_HOUR_DAYS: wholeNumber(2, 36_500, 365),
}
const GivenToWorker = z.object(workerEnvironment)

export const workerSettingsOf = (given: z.output<typeof GivenToWorker>) => ({
  metricDays: {
    raw: given.METRICS_RAW_DAYS,
    fiveMinutes: given.METRICS_FIVE_MINUTE_DAYS,
    hours: given.METRICS_HOUR_DAYS,
  },
})
