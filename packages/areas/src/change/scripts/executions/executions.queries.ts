import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import { z } from 'zod'
import { maySeeContent } from '../../../control/commands/index.ts'
import { visibleDevices } from '../../../fleet/devices/index.ts'
import { within } from '../../../tenancy/tenancy/index.ts'
import { Execution } from './executions.contract.ts'

/** Runs on devices within reach. */
export const visibleExecutions = (db: Db, caller: Caller) =>
  db
    .selectFrom('scriptExecutions as run')
    .innerJoin('deviceCommands as command', 'command.id', 'run.commandId')
    .innerJoin('devices', 'devices.id', 'run.deviceId')
    .leftJoin('scripts', 'scripts.id', 'run.scriptId')
    .where(visibleDevices(caller))
    .where(within(caller, 'run.orgId', 'run.partnerId'))

export const executionColumns = [
  'run.id',
  'run.partnerId',
  'run.orgId',
  'run.scriptId',
  'scripts.name as scriptName',
  'run.versionId',
  'run.version',
  'run.sha256',
  'run.deviceId',
  'devices.hostname',
  'run.commandId',
  'run.batchId',
  'command.status',
  'run.severity',
  'command.exitCode',
  'command.error',
  'run.parameters',
  'command.origin',
  'run.createdBy',
  'run.createdAt',
  'command.startedAt',
  'command.finishedAt',
] as const

const Result = z.object({ customFields: Execution.shape.customFields.optional() }).nullable()

/** Runs with their output, in the order of their commands. Callers who may not run scripts see none. */
async function executionsWhere(db: Db, caller: Caller, by: 'run.id' | 'run.commandId', ids: readonly string[]) {
  const rows = await visibleExecutions(db, caller)
    .where(isOneOf(by, ids))
    .select(executionColumns)
    .select(['command.stdout', 'command.stderr', 'command.result'])
    .orderBy('devices.id')
    .execute()
  const isShown = maySeeContent(caller, 'run_script')
  return rows.map(({ result, stdout, stderr, ...row }) => {
    const customFields = Result.parse(result)?.customFields ?? null
    return Execution.parse({ ...row, ...(isShown ? { stdout, stderr, customFields } : noOutput) })
  })
}

const noOutput = { stdout: null, stderr: null, customFields: null }

/** The runs of commands. */
export const executionsOfCommands = (db: Db, caller: Caller, commandIds: readonly string[]): Promise<Execution[]> =>
  commandIds.length === 0 ? Promise.resolve([]) : executionsWhere(db, caller, 'run.commandId', commandIds)

/** @throws NOT_FOUND */
export async function executionById(db: Db, caller: Caller, id: string): Promise<Execution> {
  const [found] = await executionsWhere(db, caller, 'run.id', [id])
  if (found === undefined) throw notFound('Execution')
  return found
}
