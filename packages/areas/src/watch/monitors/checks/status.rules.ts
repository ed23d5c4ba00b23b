// What observations say about a monitor. Pure.
import type { Observation } from '@muster/wire/messages/observations.ts'
import type { MonitorStatus } from '../words.contract.ts'

export type Verdict = 'unknown' | 'online' | 'degraded' | 'offline'

export interface ProbeState {
  readonly verdict: Verdict
  /** Failing rounds since the last good one. */
  readonly failing: number
  readonly reason: string | null
}

const dayMs = 86_400_000

/** Days until a certificate ends. */
export const daysUntil = (expiresAtMs: number, nowMs: number): number => Math.floor((expiresAtMs - nowMs) / dayMs)

/** The state of a probe after an observation: `retries` + 1 failing rounds make it offline, one good round online. */
export function probeAfter(
  before: ProbeState,
  { state, rounds, failed, text, certificateExpiresAt, at }: Omit<Observation, 'id'>,
  { retries, certificateDays = null }: { readonly retries: number; readonly certificateDays?: number | null },
): ProbeState {
  const reason = text ?? null
  if (state === 'unknown') return { verdict: 'unknown', failing: 0, reason }
  if (state === 'failed') {
    // Of a mixed summary only the last round is known to be among the failing ones at its end.
    const failing = failed >= rounds ? before.failing + failed : 1
    return failing > retries
      ? { verdict: 'offline', failing, reason }
      : { verdict: before.verdict, failing, reason: before.verdict === 'unknown' ? reason : before.reason }
  }
  if (state === 'degraded') return { verdict: 'degraded', failing: 0, reason }
  const days = certificateExpiresAt === undefined ? null : daysUntil(certificateExpiresAt, at)
  return days !== null && certificateDays !== null && days < certificateDays
    ? { verdict: 'degraded', failing: 0, reason: `the certificate expires in ${days} days` }
    : { verdict: 'online', failing: 0, reason: null }
}

export interface Judged {
  readonly status: MonitorStatus
  readonly reason: string | null
}

/**
 * The status that more than half of the probes agree on. Null: too few have reported, so the status stays.
 * @param probes those that are assigned and able to do the check
 */
export function judge(probes: readonly ProbeState[]): Judged | null {
  const half = probes.length / 2
  const count = (...verdicts: Verdict[]) => probes.filter(({ verdict }) => verdicts.includes(verdict)).length
  const reasonOf = (...verdicts: Verdict[]) =>
    probes.find(({ verdict, reason }) => verdicts.includes(verdict) && reason !== null)?.reason ?? null
  if (count('offline') > half) return { status: 'offline', reason: reasonOf('offline') }
  if (count('offline', 'degraded') > half) return { status: 'degraded', reason: reasonOf('degraded', 'offline') }
  return count('online', 'degraded', 'offline') > half ? { status: 'online', reason: null } : null
}
