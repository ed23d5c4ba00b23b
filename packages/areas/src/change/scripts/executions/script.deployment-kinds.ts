// Kept scripts as the order of deployments. The version and the values are fixed at the start; fields of devices are read when
// a device is sent the script.
import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { AppError, invalid } from '@muster/kit/errors.ts'
import { z } from 'zod'
import {
  type DeploymentWork,
  type DeviceOutcome,
  deploymentKind,
  outcomeOf,
} from '../../../background/deployment-kind.ts'
import type { LeftDevice } from '../../../background/ordering.ts'
import { commandType } from '../../../control/commands/index.ts'
import { ExitCodes } from '../exit-codes.contract.ts'
import { ScriptParameters } from '../parameters.contract.ts'
import { isLiteral } from '../parameters.ts'
import { ScriptOrder } from '../script-order.contract.ts'
import { scriptToUse } from '../scripts.queries.ts'
import { environmentFor, valuesFor, variable } from './environment.ts'
import { ScriptSubject } from './executions.contract.ts'
import { orderInput, runnableVersion } from './run-order.ts'
import { severityOf } from './severity.ts'

const Payload = z.record(z.string(), z.json())

/** Names the field of the order for what does not exist. */
async function named<T>(field: string, found: Promise<T>): Promise<T> {
  try {
    return await found
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') throw invalid(`order.${field}: does not exist`)
    throw error
  }
}

export const scriptDeployments = deploymentKind({
  kind: 'script',
  order: ScriptOrder,

  permissions: () => ['scripts:execute'],

  async prepare({ db, caller }, { scriptId, versionId, parameters = {}, ...instead }) {
    const script = await named('scriptId', scriptToUse(db, caller, scriptId))
    const version = await named('versionId', runnableVersion(db, script, versionId))
    const values = valuesFor(version.parameters, parameters)
    const { env, secrets } = await environmentFor(db, version.parameters, values, [])
    const { payload, timeoutMs } = orderInput({ parameters: values, respectMaintenance: true, ...instead }, version, {
      env,
      secrets,
    })
    const subject: ScriptSubject = {
      ...{ kind: 'script', id: script.id, versionId: version.id, version: version.version },
      ...{ sha256: version.sha256, parameters: values },
    }
    return {
      ...{ type: 'run_script', payload: Payload.parse(payload), timeoutMs, subject },
      expiresInSeconds: commandType('run_script').expiresInSeconds,
      perDevice: Object.entries(values).flatMap(([name, value]) =>
        isLiteral(value) || 'secret' in value ? [] : [variable(name)],
      ),
    }
  },

  async forDevices(db, work, devices) {
    const { id, versionId, parameters } = ScriptSubject.parse(work.subject)
    const { osTypes, defined } = await db
      .selectFrom('scriptVersions')
      .innerJoin('scripts', 'scripts.id', 'scriptVersions.scriptId')
      .where('scriptVersions.id', '=', versionId)
      .where('scripts.id', '=', id)
      .select(['scripts.osTypes', 'scriptVersions.parameters as defined'])
      .executeTakeFirstOrThrow()
    const isFit = (osType: string | null) => osTypes.length === 0 || osType === null || osTypes.includes(osType)
    const fitting = devices.filter(({ osType }) => isFit(osType)).map((device) => device.id)
    const { deviceEnv, failed } = await environmentFor(db, ScriptParameters.parse(defined), parameters, fitting)
    const unfit = devices.flatMap(({ id: deviceId, osType }): LeftDevice[] =>
      isFit(osType) ? [] : [{ deviceId, status: 'skipped', reason: 'unsupported_platform', error: null }],
    )
    const faulty = failed.map(
      ({ deviceId, message }): LeftDevice => ({ deviceId, status: 'failed', reason: 'parameters', error: message }),
    )
    return { left: [...unfit, ...faulty], ...(deviceEnv === undefined ? {} : { deviceEnv }) }
  },

  async outcomesOf(db, work, ended) {
    const exitCodes = await exitCodesOf(db, work)
    return new Map(
      ended.map((command): [string, DeviceOutcome] => {
        const severity = severityOf(exitCodes, command)
        if (severity === null) return [command.commandId, outcomeOf(command)]
        return [command.commandId, severity === 'error' || severity === 'critical' ? 'failed' : 'succeeded']
      }),
    )
  },
})

async function exitCodesOf(db: Db, work: DeploymentWork): Promise<ExitCodes> {
  const { id } = ScriptSubject.parse(work.subject)
  const found = await db
    .selectFrom('scripts')
    .select('exitCodes')
    .where(isOneOf('id', [id]))
    .executeTakeFirst()
  return ExitCodes.parse(found?.exitCodes ?? {})
}
