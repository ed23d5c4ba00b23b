// What a run sends to each device.
import { randomUUID } from 'node:crypto'
import type { Db } from '@muster/db/database.ts'
import { conflict, notFound } from '@muster/kit/errors.ts'
import { type CommandOrder, orderFor, type Target } from '../../../control/commands/index.ts'
import type { Call } from '../../../operation.ts'
import { ScriptParameters } from '../parameters.contract.ts'
import type { StoredScript } from '../scripts.contract.ts'
import { environmentFor, type Values, valuesFor } from './environment.ts'
import type { ScriptSubject } from './executions.contract.ts'

interface Given {
  readonly parameters: Values
  readonly versionId?: string | undefined
  readonly args?: readonly string[] | undefined
  readonly runAs?: 'system' | 'user' | undefined
  readonly timeoutSeconds?: number | undefined
  readonly expiresInSeconds?: number | undefined
  readonly respectMaintenance: boolean
  readonly idempotencyKey?: string | undefined
}

/** The order of a run, and the devices that get it. */
export async function runOrder(call: Call<Given>, script: StoredScript, targets: readonly Target[]) {
  const { db, input } = call
  const version = await runnableVersion(db, script, input.versionId)
  const parameters = valuesFor(version.parameters, input.parameters)
  const fits = ({ osType }: Target) =>
    script.osTypes.length === 0 || osType === null || script.osTypes.some((each) => each === osType)
  const fitting = targets.filter(fits)
  const environment = await environmentFor(
    db,
    version.parameters,
    parameters,
    fitting.map(({ id }) => id),
  )
  const { env, secrets, deviceEnv, failed } = environment
  const { id: versionId, version: number, sha256 } = version
  const subject: ScriptSubject = { kind: 'script', id: script.id, versionId, version: number, sha256, parameters }
  const order: CommandOrder & { batchId: string } = {
    ...orderFor(call, orderInput(input, version, { env, secrets })),
    ...{ batchId: randomUUID(), subject },
    ...(deviceEnv === undefined ? {} : { deviceEnv }),
  }
  const without = new Set(failed.map(({ deviceId }) => deviceId))
  const sendable = fitting.filter(({ id }) => !without.has(id))
  const skipped = targets
    .filter((target) => !fits(target))
    .map(({ id: deviceId }) => ({ deviceId, reason: 'unsupported_platform' as const }))
  return { order, sendable, skipped, failed }
}

type Version = Awaited<ReturnType<typeof runnableVersion>>

/** The command of a run. Fields of the version that are not given count. */
export function orderInput(
  { args, runAs, timeoutSeconds, expiresInSeconds, respectMaintenance, idempotencyKey }: Given,
  version: Version,
  { env, secrets }: { readonly env: object; readonly secrets: object },
) {
  const account = runAs ?? version.runAs
  return {
    type: 'run_script' as const,
    payload: {
      ...{ language: version.language, script: version.content, args: args ?? version.args, env },
      ...(Object.keys(secrets).length === 0 ? {} : { secrets }),
      ...(account === 'user' ? { runAs: account } : {}),
      ...(account === 'user' && version.runAsUser !== null ? { runAsUser: version.runAsUser } : {}),
    },
    timeoutMs: (timeoutSeconds ?? version.timeoutSeconds) * 1_000,
    ...{ expiresInSeconds, respectMaintenance, idempotencyKey },
  }
}

/** The version that a run takes. @throws NOT_FOUND, CONFLICT if it is not approved */
export async function runnableVersion(db: Db, script: StoredScript, versionId: string | undefined) {
  const wanted = versionId ?? script.approvedVersionId
  if (wanted === null) throw conflict('No version of the script is approved')
  const found = await db
    .selectFrom('scriptVersions')
    .selectAll()
    .where('scriptId', '=', script.id)
    .where('id', '=', wanted)
    .executeTakeFirst()
  if (found === undefined) throw notFound('Version')
  if (found.status !== 'approved') throw conflict(`Version ${found.version} is not approved`)
  return { ...found, parameters: ScriptParameters.parse(found.parameters) }
}
