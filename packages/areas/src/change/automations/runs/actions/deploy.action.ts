// Makes a deployment for the devices of the run, which goes on by itself: the step has succeeded once it is started.
import { AppError } from '@muster/kit/errors.ts'
import { ownerMay } from '../../../../control/commands/index.ts'
import { recordAsSystem } from '../../../../platform/audit/index.ts'
import { deployInBackground } from '../../../deployments/index.ts'
import { workByHash } from '../../works.ts'
import { actionKind, failed, statesOf, succeeded } from './action-kind.ts'
import { permissionsOfOrder } from './order-permissions.ts'

export const deploy = actionKind({
  type: 'deploy',
  on: 'devices',
  permissions: ({ order }) => ['automations:write', ...permissionsOfOrder(order)],
  async begin({ db, run }, tasks) {
    const [first] = tasks
    const { automationId, partnerId, orgId, owner, workHash } = run
    const work = workHash === null ? undefined : await workByHash(db, automationId, workHash)
    if (first === undefined || work === undefined)
      return statesOf(tasks, () => failed('The automation was changed after the run had begun'))
    const { order, strategy = {} } = first.action
    const deviceIds = tasks.flatMap(({ device }) => device?.id ?? [])
    const needed = ['automations:write' as const, ...permissionsOfOrder(order)]
    if ((await ownerMay(db, owner, needed, { deviceIds })) === 'not_permitted')
      return statesOf(tasks, () => failed('owner_not_permitted'))
    const cause = { runId: run.id, chain: [...run.chain, automationId] }
    const origin = { kind: 'automation' as const, id: automationId, run: run.id, cause }
    const name = `${run.name}`.slice(0, 255)
    try {
      const id = await deployInBackground(db, {
        ...{ partnerId, orgId, name, order, strategy, work, owner, origin, deviceIds },
      })
      await recordAsSystem(db, {
        ...{ action: 'deployment.start', target: id, name, partnerId, ...(orgId === null ? {} : { orgId }) },
        details: { automationId, runId: run.id, devices: deviceIds.length, ownerId: owner.userId },
      })
      return statesOf(tasks, () => succeeded)
    } catch (error) {
      if (error instanceof AppError) return statesOf(tasks, () => failed(error.message))
      throw error
    }
  },
})
