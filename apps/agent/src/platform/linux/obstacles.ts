import type { Obstacles } from '@muster/wire/capabilities.ts'
import { missingLanguages } from '../missing-languages.ts'
import { powerCommands, serviceCommands, withoutAll } from '../obstacles.ts'
import { unixObstacles } from '../posix/obstacles.ts'
import { findInterpreter, findProgram, type ScriptSystem } from '../posix/script-group.ts'
import { type Host, isSystemd } from './systemd.ts'

/** What the agent cannot do on this machine. A missing program takes precedence over a missing permission. */
export async function obstaclesOn(host: Host, scripts: ScriptSystem, isRoot: boolean): Promise<Obstacles> {
  const hasSystemd = await isSystemd(host)
  const [languages, systemctl, shutdown] = await Promise.all([
    missingLanguages((language) => findInterpreter(scripts, language)),
    findProgram(['systemctl'], host.path),
    findProgram(['shutdown'], host.path),
  ])
  const hasServices = hasSystemd && systemctl !== undefined
  return {
    ...unixObstacles(isRoot),
    ...languages,
    ...(hasServices ? {} : withoutAll('MISSING_TOOL', serviceCommands)),
    ...(hasServices || shutdown !== undefined ? {} : withoutAll('MISSING_TOOL', powerCommands)),
  }
}
