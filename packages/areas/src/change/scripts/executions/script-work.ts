// What plans send for a kept script. The version and the values are fixed when a person starts the plan; fields of devices and
// open parameters are read when a device is sent the script.
import type { Db } from '@muster/db/database.ts'
import { AppError, invalid } from '@muster/kit/errors.ts'
import { z } from 'zod'
import type { DeploymentWork, WorkedDevice, WorkForDevices } from '../../../background/deployment-kind.ts'
import type { LeftDevice, Ordering } from '../../../background/ordering.ts'
import { commandType } from '../../../control/commands/index.ts'
import { ParameterValue, ScriptParameters } from '../parameters.contract.ts'
import { faultOfValue, isLiteral } from '../parameters.ts'
import type { ScriptOrder } from '../script-order.contract.ts'
import { scriptToUse } from '../scripts.queries.ts'
import { environmentFor, type Values, valuesFor, variable } from './environment.ts'
import { ScriptSubject } from './executions.contract.ts'
import { orderInput, runnableVersion } from './run-order.ts'

const Payload = z.record(z.string(), z.json())
const none: ReadonlySet<string> = new Set()

/** Names the field of the order for what does not exist. */
async function named<T>(field: string, found: Promise<T>): Promise<T> {
  try {
    return await found
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') throw invalid(`order.${field}: does not exist`)
    throw error
  }
}

/**
 * The work of a script.
 * @param open parameters, of texts, whose values are known only when a device is sent the script
 * @throws VALIDATION_ERROR naming the field, CONFLICT if no version is approved
 */
export async function scriptWork(
  { db, caller }: Pick<Ordering, 'db' | 'caller'>,
  { scriptId, versionId, parameters = {}, ...instead }: Omit<ScriptOrder, 'kind'>,
  open: ReadonlySet<string> = none,
): Promise<DeploymentWork> {
  const script = await named('scriptId', scriptToUse(db, caller, scriptId))
  const version = await named('versionId', runnableVersion(db, script, versionId))
  const values = valuesFor(version.parameters, parameters, open)
  const fixed = Object.fromEntries(Object.entries(values).filter(([name]) => !open.has(name)))
  const { env, secrets } = await environmentFor(db, version.parameters, fixed, [])
  const given = { parameters: fixed, respectMaintenance: true, ...instead }
  const { payload, timeoutMs } = orderInput(given, version, { env, secrets })
  const subject: ScriptSubject = {
    ...{ kind: 'script', id: script.id, versionId: version.id, version: version.version },
    ...{ sha256: version.sha256, parameters: values },
  }
  return {
    ...{ type: 'run_script', payload: Payload.parse(payload), timeoutMs, subject },
    expiresInSeconds: commandType('run_script').expiresInSeconds,
    perDevice: Object.entries(values).flatMap(([name, value]) =>
      open.has(name) || !(isLiteral(value) || 'secret' in value) ? [variable(name)] : [],
    ),
  }
}

/** The work with the values of its open parameters. */
export const withValues = (work: DeploymentWork, values: Values): DeploymentWork => {
  const subject = ScriptSubject.parse(work.subject)
  return { ...work, subject: { ...subject, parameters: { ...subject.parameters, ...values } } }
}

/** The open parameters of a work among these values: their variables are not the same for all devices. */
export const openValues = ({ perDevice }: Pick<DeploymentWork, 'perDevice'>, values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) => isLiteral(value) && perDevice.includes(variable(name))),
  )

/** What single devices get beside the work, and which devices do not get it. */
export async function scriptForDevices(
  db: Db,
  work: DeploymentWork,
  devices: readonly WorkedDevice[],
): Promise<WorkForDevices> {
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
  const definitions = ScriptParameters.parse(defined)
  const unfit = devices.flatMap(({ id: deviceId, osType }): LeftDevice[] =>
    isFit(osType) ? [] : [{ deviceId, status: 'skipped', reason: 'unsupported_platform', error: null }],
  )
  const given = openValues(work, parameters)
  const fault = faultOfOpen(definitions, given)
  if (fault !== null) return { left: [...unfit, ...fitting.map((deviceId) => faulty(deviceId, fault))] }
  const { deviceEnv, failed } = await environmentFor(db, definitions, parameters, fitting)
  const left = [...unfit, ...failed.map(({ deviceId, message }) => faulty(deviceId, message))]
  const env = Object.fromEntries(Object.entries(given).map(([name, value]) => [variable(name), String(value)]))
  if (Object.keys(env).length === 0) return { left, ...(deviceEnv === undefined ? {} : { deviceEnv }) }
  return { left, deviceEnv: new Map(fitting.map((deviceId) => [deviceId, { ...env, ...deviceEnv?.get(deviceId) }])) }
}

const faulty = (deviceId: string, error: string): LeftDevice => ({
  ...{ deviceId, status: 'failed', reason: 'parameters' },
  error,
})

/** What is wrong with the values of open parameters; null if nothing is. */
function faultOfOpen(definitions: ScriptParameters, values: Values): string | null {
  for (const definition of definitions) {
    const { name } = definition
    const value = values[name]
    if (value === undefined) continue
    const fits = ParameterValue.safeParse(value).success
    const fault = fits ? faultOfValue(definition, value) : 'must be a text of at most 4,000 characters without NUL'
    if (fault !== null) return `parameters.${name}: ${fault}`
  }
  return null
}
