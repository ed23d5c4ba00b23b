import { type Target, targetsNamed } from '../../scripts/agent-build/targets.ts'

/** The version of the executable that the tests share. */
export const version = '7.0.0'

export function windowsTarget(): Target {
  const [target] = targetsNamed(['win-x64'])
  if (target === undefined) throw new Error('unreachable')
  return target
}
