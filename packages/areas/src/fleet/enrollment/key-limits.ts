import type { EnrollmentKey } from './keys/keys.contract.ts'

/** What an enrollment key may be good for without a fresh proof: enough for a rollout of some weeks. */
const [usesMax, lifeMsMax] = [1_000, 90 * 86_400_000]

/** Is a key, or an install code, good for so many machines or so long that creating it takes a fresh proof? */
export function isUnlimited(
  { maxUsage, expiresAt }: Pick<EnrollmentKey, 'maxUsage' | 'expiresAt'>,
  nowMs: number,
): boolean {
  if (maxUsage === null || expiresAt === null) return true
  return maxUsage > usesMax || Date.parse(expiresAt) - nowMs > lifeMsMax
}
