import type { Capability, Obstacles } from '@muster/wire/capabilities.ts'
import { missingLanguages } from '../missing-languages.ts'
import { powerCommands, serviceCommands, withoutAll } from '../obstacles.ts'
import { unixObstacles } from '../posix/obstacles.ts'
import { findInterpreter, findProgram, type ScriptSystem } from '../posix/script-group.ts'
import type { Mac } from './mac.ts'

/** The programs of macOS that commands need. */
const programs: readonly (readonly [string, readonly Capability[]])[] = [
  ['launchctl', serviceCommands],
  ['shutdown', powerCommands],
  ['ps', ['list_processes', 'get_process']],
]

/** What the agent cannot do on this Mac. A missing program takes precedence over a missing permission. */
export async function obstaclesOn(mac: Mac, scripts: ScriptSystem, isRoot: boolean): Promise<Obstacles> {
  const [languages, ...missing] = await Promise.all([
    missingLanguages((language) => findInterpreter(scripts, language)),
    ...programs.map(async ([program, names]) =>
      (await findProgram([program], mac.path)) === undefined ? withoutAll('MISSING_TOOL', names) : {},
    ),
  ])
  return Object.assign({}, unixObstacles(isRoot), languages, ...missing)
}
