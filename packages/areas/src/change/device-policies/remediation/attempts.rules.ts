// When a violation is repaired again, and when many violations at once are suspicious.

const minute = 60_000
/** How long after each try the next one follows. After the last of them it is decided that the repair failed. */
const pausesMs = [15 * minute, 60 * minute, 240 * minute, 15 * minute]

/** After so many tries a repair failed. */
export const attemptsMax = pausesMs.length

/** @param attempts the number of tries so far, at least 1 */
export const pauseMs = (attempts: number): number => pausesMs[Math.min(attempts, attemptsMax) - 1] ?? minute

/** Violations within this time count together. */
export const suddenMinutes = 10

/** Whether so many new violations look like a fault of the policy rather than of the devices. */
export const isMassChange = (violating: number, devices: number): boolean => violating > Math.max(20, devices * 0.05)
