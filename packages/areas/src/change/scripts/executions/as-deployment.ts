// The run of a script as a deployment, which sends it in batches or later.
import { invalid } from '@muster/kit/errors.ts'
import type { z } from 'zod'
import { commandType, selectTargets } from '../../../control/commands/index.ts'
import type { Call } from '../../../operation.ts'
import type { StrategyInput } from '../../deployments/batches/strategy.contract.ts'
import { deployAtOnce } from '../../deployments/index.ts'
import type { StoredScript } from '../scripts.contract.ts'
import type { executions } from './executions.contract.ts'

type Input = z.output<typeof executions.execute.input>

function requireDeployable({ strategy, startAt, idempotencyKey, waitMs }: Input, nowMs: number): void {
  const given = idempotencyKey === undefined ? (waitMs > 0 ? 'waitMs' : null) : 'idempotencyKey'
  if (given !== null)
    throw invalid(`${given}: cannot be given together with ${strategy === undefined ? 'startAt' : 'strategy'}`)
  if (startAt === undefined) return
  const aheadMs = Date.parse(startAt) - nowMs
  if (aheadMs <= 0) throw invalid('startAt: must be in the future')
  if (aheadMs > aheadMaxMs) throw invalid('startAt: must be within the next 365 days')
}

/** Grants of plans last a little longer. */
const aheadMaxMs = 365 * 86_400_000

/** A run that only starts later reaches all its devices, as it would at once. */
const allTogether = {
  batches: [{ percent: 100 }],
  soakSeconds: 0,
  successPercent: 0,
  maxErrors: { percent: 100 },
} satisfies StrategyInput

/** @throws what the creation and the start of a deployment are refused for */
export async function asDeployment(
  call: Call<Input>,
  { id: scriptId, name }: Pick<StoredScript, 'id' | 'name'>,
): Promise<z.output<typeof executions.execute.output>> {
  const { input, services } = call
  const nowMs = services.clock.now()
  requireDeployable(input, nowMs)
  const { deviceIds, groupIds, orgIds, siteIds, tags, filter, exclude, startAt = null } = input
  const { versionId, parameters, args, runAs, timeoutSeconds, strategy = allTogether } = input
  // Without a strategy a run waits for its devices as long as one that is sent at once.
  const usual = input.strategy === undefined ? commandType('run_script').expiresInSeconds : undefined
  const { expiresInSeconds = usual } = input
  const { targets } = await selectTargets(call, input)
  // It belongs to the organization of all its devices, else to the partner.
  const [orgId = null, ...others] = new Set(targets.map((target) => target.orgId))
  const deadlineMs =
    expiresInSeconds === undefined ? null : (startAt === null ? nowMs : Date.parse(startAt)) + expiresInSeconds * 1_000
  const { id, partnerId, devices, approval } = await deployAtOnce(call, {
    orgId: others.length === 0 ? orgId : null,
    partnerId: others.length === 0 ? undefined : targets[0]?.partnerId,
    ...{ name, description: null, exclude, startAt },
    targets: { deviceIds, groupIds, orgIds, siteIds, tags, filter },
    order: { kind: 'script', scriptId, versionId, parameters, args, runAs, timeoutSeconds },
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
