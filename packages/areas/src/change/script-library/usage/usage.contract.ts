import { can, get, id, time } from '@muster/kit/contract.ts'
import { z } from 'zod'

const counts = {
  /** Canceled and expired runs, and those that have not ended, count here alone. */
  runs: z.number(),
  /** Those that ended with the severity success or info. */
  succeeded: z.number(),
  failed: z.number(),
}
/** Of those that succeeded or failed; null if there are none. */
const successPercent = z.number().nullable()

export const usage = {
  get: get('/script-library/scripts/:id/usage-stats', {
    summary: 'Get how often a script ran in the last days, and with which success',
    access: can('scripts:read'),
    input: z.object({
      id: id(),
      /** Days in UTC, the current one included. */
      days: z.coerce.number().int().min(1).max(365).default(30),
    }),
    output: z.object({
      ...counts,
      successPercent,
      /** With at least one run. */
      devices: z.number(),
      durationMs: z.object({ p50: z.number().nullable(), p95: z.number().nullable() }),
      lastRunAt: time().nullable(),
      byDay: z.array(z.object({ date: z.iso.date(), ...counts })),
      /** Newest first. */
      byVersion: z.array(z.object({ versionId: id(), version: z.number(), ...counts, successPercent })),
    }),
  }),
}
