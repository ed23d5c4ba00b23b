// Kept scripts as the order of deployments.
import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import {
  type DeploymentWork,
  type DeviceOutcome,
  deploymentKind,
  outcomeOf,
} from '../../../background/deployment-kind.ts'
import { ExitCodes } from '../exit-codes.contract.ts'
import { ScriptOrder } from '../script-order.contract.ts'
import { ScriptSubject } from './executions.contract.ts'
import { scriptForDevices, scriptWork } from './script-work.ts'
import { isFailure, severityOf } from './severity.ts'

export const scriptDeployments = deploymentKind({
  kind: 'script',
  order: ScriptOrder,

  permissions: () => ['scripts:execute'],

  prepare: (by, order) => scriptWork(by, order),

  forDevices: scriptForDevices,

  async outcomesOf(db, work, ended) {
    const exitCodes = await exitCodesOf(db, work)
    return new Map(
      ended.map((command): [string, DeviceOutcome] => {
        const severity = severityOf(exitCodes, command)
        if (severity === null) return [command.commandId, outcomeOf(command)]
        return [command.commandId, isFailure(severity) ? 'failed' : 'succeeded']
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
