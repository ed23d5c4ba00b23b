import type { Db } from '@muster/db/database.ts'
import { invariant } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import type { DeploymentKind, EndedWork, StoredWork } from '../../../background/deployment-kind.ts'
import type { Strategy } from '../batches/strategy.contract.ts'
import { readOfferEnds } from './offer-to-devices.ts'

interface Unread extends EndedWork {
  readonly error: string | null
}

interface Reading {
  readonly kind: DeploymentKind
  readonly work: StoredWork
  readonly retries: Strategy['retries']
}

/** Stores what became of the devices that were sent the order. Failed ones are tried again while the strategy permits. @returns how many ended */
export async function readEnds(db: Db, deploymentId: string, { kind, work, retries }: Reading): Promise<number> {
  if (kind.by === 'offers' && 'agentVersion' in work) return readOfferEnds(db, deploymentId, { kind, work, retries })
  invariant(kind.by === 'commands' && 'type' in work, 'the work of a deployment is of its kind')
  const { rows } = await sql<Unread>`
    SELECT command.id AS command_id, command.status, command.exit_code, left(command.error, 500) AS error
    FROM deployment_devices device JOIN device_commands command ON command.id = device.command_id
    WHERE device.deployment_id = ${deploymentId}::uuid AND device.unread`.execute(db)
  if (rows.length === 0) return 0
  const outcomes = await kind.outcomesOf(db, work, rows)
  await sql`UPDATE deployment_devices device SET
      status = CASE WHEN given.outcome = 'failed' AND attempt <= ${retries.max} THEN 'pending' ELSE given.outcome END,
      not_before = CASE WHEN given.outcome = 'failed' AND attempt <= ${retries.max}
        THEN now() + make_interval(secs => ${retries.delaySeconds}) END,
      exit_code = given.exit_code, error = given.error, unread = false
    FROM unnest(${rows.map(({ commandId }) => commandId)}::uuid[], ${rows.map(({ commandId }) => outcomes.get(commandId) ?? 'failed')}::text[],
      ${rows.map(({ exitCode }) => exitCode)}::int[], ${rows.map(({ error }) => error)}::text[])
      AS given (command_id, outcome, exit_code, error)
    WHERE device.deployment_id = ${deploymentId}::uuid AND device.command_id = given.command_id AND device.status = 'queued'`.execute(
    db,
  )
  return rows.length
}
