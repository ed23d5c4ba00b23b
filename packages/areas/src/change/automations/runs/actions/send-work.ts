// Sends commands to the devices of a step, in the name of the owner of the run.
import type { DeploymentWork } from '../../../../background/deployment-kind.ts'
import { type BackgroundOrder, issueInBackground } from '../../../../control/commands/index.ts'
import { failed, type Step, type Task, type TaskState } from './action-kind.ts'

/** What keeps a device from the command only for a while. */
const passing: ReadonlySet<string> = new Set(['maintenance', 'commands_stopped', 'organization_suspended'])

interface Sent {
  readonly work: Omit<DeploymentWork, 'subject' | 'perDevice'> & Partial<Pick<DeploymentWork, 'subject' | 'perDevice'>>
  readonly deviceEnv?: BackgroundOrder['deviceEnv']
  /** Of all these tasks. */
  readonly attempt: number
  /** How long the step waits for the end: until the command has ended unless given; 0 for not at all. */
  readonly waitSeconds?: number | undefined
}

/** Sends the same command to each device, and says how its task is from then on. */
export async function sendWork(
  { db, parts, run, afterCommit }: Step,
  tasks: readonly Task[],
  { work, deviceEnv, attempt, waitSeconds }: Sent,
): Promise<[string, TaskState][]> {
  const { type, payload, timeoutMs, expiresInSeconds, subject = null, perDevice } = work
  const longest = waitSeconds === undefined || waitSeconds === 0 ? expiresInSeconds : waitSeconds
  const order: BackgroundOrder = {
    ...{ type, payload, timeoutMs, owner: run.owner, respectMaintenance: run.respectMaintenance },
    ...(subject === null ? {} : { subject }),
    ...(perDevice === undefined ? {} : { perDevice }),
    ...(deviceEnv === undefined ? {} : { deviceEnv }),
    // What was not begun while the step waited does not begin later.
    expiresAt: new Date(Date.now() + Math.min(expiresInSeconds, longest) * 1_000).toISOString(),
    origin: {
      ...{ kind: 'automation', id: run.automationId, run: run.id, step: run.step, attempt },
      cause: { runId: run.id, chain: [...run.chain, run.automationId] },
    },
  }
  const issued = await issueInBackground(
    db,
    parts,
    order,
    tasks.flatMap(({ device }) => device?.id ?? []),
  )
  afterCommit.push(issued.afterCommit)
  const commands = new Map(issued.commands.map(({ id, deviceId }) => [deviceId, id]))
  const reasons = new Map(issued.skipped.map(({ deviceId, reason }) => [deviceId, reason]))
  const dueAt = waitSeconds === undefined ? null : new Date(Date.now() + waitSeconds * 1_000).toISOString()
  return tasks.map(({ id, device }): [string, TaskState] => {
    const commandId = commands.get(device?.id ?? '')
    if (commandId !== undefined)
      return [id, waitSeconds === 0 ? { status: 'succeeded', commandId } : { status: 'running', dueAt, commandId }]
    const reason = reasons.get(device?.id ?? '') ?? 'gone'
    return [id, passing.has(reason) ? { status: 'skipped', error: reason } : failed(reason)]
  })
}
