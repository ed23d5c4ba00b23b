const states = ['unknown', 'stopped', 'starting', 'stopping', 'running', 'continuing', 'pausing', 'paused']
const startups = ['boot', 'system', 'automatic', 'manual', 'disabled']

/** The state of a Windows service. */
export const stateWord = (state: number): string => states[state] ?? 'unknown'

/** When a Windows service starts. */
export function startupWord(type: number, isDelayed: boolean): string {
  const word = startups[type] ?? 'unknown'
  return word === 'automatic' && isDelayed ? 'automatic-delayed' : word
}
