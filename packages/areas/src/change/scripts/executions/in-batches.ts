// The run of a script as a deployment, which sends it in batches.
import { invalid } from '@muster/kit/errors.ts'
import type { z } from 'zod'
import { selectTargets } from '../../../control/commands/index.ts'
import type { Call } from '../../../operation.ts'
import type { StrategyInput } from '../../deployments/batches/strategy.contract.ts'
import { deployAtOnce } from '../../deployments/index.ts'
import type { StoredScript } from '../scripts.contract.ts'
import type { executions } from './executions.contract.ts'

type Input = z.output<typeof executions.execute.input>

/** What a deployment takes from the version of the script, or does not have. */
const notStaged = ['args', 'runAs', 'timeoutSeconds', 'idempotencyKey'] as const

function requireStageable(input: Input): void {
  const given = notStaged.find((name) => input[name] !== undefined) ?? (input.waitMs > 0 ? 'waitMs' : undefined)
  if (given !== undefined) throw invalid(`${given}: cannot be given together with strategy`)
}

/** @throws what the creation and the start of a deployment are refused for */
export async function inBatches(
  call: Call<Input>,
  { id: scriptId, name }: Pick<StoredScript, 'id' | 'name'>,
  strategy: StrategyInput,
): Promise<z.output<typeof executions.execute.output>> {
  const { input, services } = call
  requireStageable(input)
  const { deviceIds, groupIds, orgIds, siteIds, tags, filter, exclude, versionId, parameters, expiresInSeconds } = input
  const { targets } = await selectTargets(call, input)
  // It belongs to the organization of all its devices, else to the partner.
  const [orgId = null, ...others] = new Set(targets.map((target) => target.orgId))
  const deadlineMs = expiresInSeconds === undefined ? null : services.clock.now() + expiresInSeconds * 1_000
  const { id, partnerId, devices, approval } = await deployAtOnce(call, {
    orgId: others.length === 0 ? orgId : null,
    partnerId: others.length === 0 ? undefined : targets[0]?.partnerId,
    ...{ name, description: null, exclude, startAt: null },
    targets: { deviceIds, groupIds, orgIds, siteIds, tags, filter },
    order: { kind: 'script', scriptId, parameters, ...(versionId === undefined ? {} : { versionId }) },
    strategy: { respectMaintenance: input.respectMaintenance, ...strategy },
    deadlineAt: deadlineMs === null ? null : new Date(deadlineMs).toISOString(),
  })
  const details = { scriptId, devices }
  if (approval === null)
    call.audit({
      action: 'deployment.start',
      target: id,
      name,
      orgId: others.length === 0 ? orgId : null,
      partnerId,
      details,
    })
  return { batchId: null, executions: [], skipped: [], failed: [], approval, deploymentId: id }
}
