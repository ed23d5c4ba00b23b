import { retryDelayMinMs, retryWindowFirstMs, retryWindowMaxMs } from './limits.ts'

/** A number in [0, 1); tests provide their own. */
export type Random = () => number

/** Full jitter: drawn evenly from a window with a minimum and a maximum width. */
export function fullJitter(windowMs: number, random: Random = Math.random): number {
  const window = Math.min(retryWindowMaxMs, Math.max(retryWindowFirstMs, windowMs))
  return Math.max(retryDelayMinMs, Math.round(random() * window))
}

/** The delay in a `Retry-After` header: seconds or a date. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined || header.trim() === '') return undefined
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return seconds >= 0 ? Math.round(seconds * 1000) : undefined
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}

/** Formats a duration for log messages. */
export function formatDuration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`
  return `${Math.round(ms / 3_600_000)} h`
}
