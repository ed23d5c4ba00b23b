// The environment of a run: the values of its parameters as variables.
import type { Db } from '@muster/db/database.ts'
import { invalid } from '@muster/kit/errors.ts'
import { fieldsOfDevices } from '../device-fields.ts'
import type { ParameterValue, ScriptParameter } from '../parameters.contract.ts'
import { faultOfValue, isLiteral } from '../parameters.ts'

export type Values = Readonly<Record<string, ParameterValue>>

/**
 * The values of a run, with the defaults.
 * @param open texts that are templates of values to come
 * @throws VALIDATION_ERROR naming the parameter
 */
export function valuesFor(
  parameters: readonly ScriptParameter[],
  given: Values,
  open: ReadonlySet<string> = new Set(),
): Values {
  const names = new Set(parameters.map(({ name }) => name))
  const unknown = Object.keys(given).find((name) => !names.has(name))
  if (unknown !== undefined) throw invalid(`parameters.${unknown}: the script has no such parameter`)
  const values = parameters.flatMap((parameter): [string, ParameterValue][] => {
    const { name, type, required } = parameter
    if (open.has(name) && type !== 'text') throw invalid(`parameters.${name}: only a text can be a template`)
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    const chosen = value ?? parameter.default
    if (chosen === null && required) throw invalid(`parameters.${name}: is required`)
    if (chosen === null) return []
    const fault = open.has(name) ? null : faultOfValue(parameter, chosen)
    if (fault !== null) throw invalid(`parameters.${name}: ${fault}`)
    return [[name, chosen]]
  })
  return Object.fromEntries(values)
}

interface Failed {
  readonly deviceId: string
  readonly code: string
  readonly message: string
}

type Env = Readonly<Record<string, string>>

export interface Environment {
  /** The same on all devices. */
  readonly env: Env
  /** The names of secrets, by variable. */
  readonly secrets: Env
  /** What fields give, by device; undefined if no parameter takes one. */
  readonly deviceEnv: ReadonlyMap<string, Env> | undefined
  /** Devices whose fields are no values of the parameters. */
  readonly failed: readonly Failed[]
}

/** The variable of a parameter. */
export const variable = (name: string): string => `PARAM_${name.toUpperCase()}`

/** What the values are in the environment of the script, on each device. */
export async function environmentFor(
  db: Db,
  parameters: readonly ScriptParameter[],
  values: Values,
  deviceIds: readonly string[],
): Promise<Environment> {
  const env: Record<string, string> = {}
  const secrets: Record<string, string> = {}
  const fields: { readonly parameter: ScriptParameter; readonly field: string }[] = []
  for (const parameter of parameters) {
    const value = values[parameter.name]
    if (value === undefined) continue
    if (isLiteral(value)) env[variable(parameter.name)] = String(value)
    else if ('secret' in value) secrets[variable(parameter.name)] = value.secret
    else fields.push({ parameter, field: value.field })
  }
  if (fields.length === 0) return { env, secrets, deviceEnv: undefined, failed: [] }
  const devices = await fieldsOfDevices(db, deviceIds)
  const deviceEnv = new Map<string, Env>()
  const failed: Failed[] = []
  for (const deviceId of deviceIds) {
    const own = deviceEnvOf(fields, devices.get(deviceId) ?? (() => null))
    if (typeof own === 'string') failed.push({ deviceId, code: 'VALIDATION_ERROR', message: own })
    else deviceEnv.set(deviceId, own)
  }
  return { env, secrets, deviceEnv, failed }
}

/** The variables of one device, or what is wrong with its fields. */
function deviceEnvOf(
  fields: readonly { readonly parameter: ScriptParameter; readonly field: string }[],
  read: (name: string) => string | number | boolean | null,
): Env | string {
  const env: Record<string, string> = {}
  for (const { parameter, field } of fields) {
    const found = read(field)
    const { name, type, required } = parameter
    if (found === null && required) return `parameters.${name}: the device has no ${field}`
    if (found === null) continue
    const value = type === 'text' || type === 'choice' ? String(found) : found
    const fault = faultOfValue(parameter, value)
    if (fault !== null) return `parameters.${name}: ${field} of the device ${fault}`
    env[variable(name)] = String(value)
  }
  return env
}
