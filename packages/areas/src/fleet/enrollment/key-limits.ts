import type { EnrollmentKey } from './keys/keys.contract.ts'

/** The limits of a key without a fresh proof: enough for a rollout of some weeks. */
const [usesMax, lifeMsMax] = [1_000, 90 * 86_400_000]

/** Whether a key or install code exceeds these limits of machines or time, so that creating it requires a fresh proof. */
export function isUnlimited(
  { maxUsage, expiresAt }: Pick<EnrollmentKey, 'maxUsage' | 'expiresAt'>,
  nowMs: number,
): boolean {
  if (maxUsage === null || expiresAt === null) return true
  return maxUsage > usesMax || Date.parse(expiresAt) - nowMs > lifeMsMax
}
