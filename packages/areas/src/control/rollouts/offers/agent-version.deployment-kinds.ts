// A version of the agent as the order of a deployment. It reaches devices by the same offers as a rollout of the version.
import type { Db } from '@muster/db/database.ts'
import { denied, invalid } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { type OfferEnd, offeredKind } from '../../../background/offered-kind.ts'
import type { LeftDevice } from '../../../background/ordering.ts'
import { workerSignerOf } from '../../commands/index.ts'
import { heldBack } from '../../maintenance/index.ts'
import { executableFor, hasFailed, hasSucceeded, isBuilt, pinOf, runsOlder } from '../fleet.sql.ts'
import { firstStagePercentMax, stageSecondsMin } from '../rollouts.contract.ts'
import { AgentVersionOrder } from './agent-version-order.contract.ts'
import { isUpdating, offered, offerSeconds, sendOffers, takeOffers } from './send-offers.ts'

const errorPercentMax = 50

/** @throws VALIDATION_ERROR */
async function versionOf(db: Db, versionId: string): Promise<string> {
  const known = await db
    .selectFrom('agentVersions')
    .select('version')
    .where('id', '=', versionId)
    .where('kind', '=', 'agent')
    .executeTakeFirst()
  if (known === undefined) throw invalid('order.versionId: does not exist')
  return known.version
}

type Left = Pick<LeftDevice, 'deviceId' | 'status' | 'reason'>

/** Devices that are not offered the version now, and why. */
async function leftOf(
  db: Db,
  deploymentId: string,
  version: string,
  { deviceIds, respectMaintenance }: { readonly deviceIds: readonly string[]; readonly respectMaintenance: boolean },
): Promise<LeftDevice[]> {
  const { rows } = await sql<Left>`
    SELECT device_id, CASE reason WHEN 'up_to_date' THEN 'succeeded'
      WHEN 'pinned' THEN 'held' WHEN 'maintenance' THEN 'held' WHEN 'already_pending' THEN 'held' ELSE 'skipped' END AS status, reason
    FROM (
      SELECT devices.id AS device_id, CASE
        WHEN devices.lifecycle <> 'active' THEN devices.lifecycle
        WHEN devices.agent_version = ${version} THEN 'up_to_date'
        WHEN NOT ${runsOlder(version)} THEN 'newer_version'
        WHEN NOT ${isBuilt(version)} THEN 'unsupported_platform'
        WHEN NOT devices.auto_update THEN 'auto_update_off'
        WHEN ${version} = ANY (updates.barred) THEN 'barred'
        WHEN EXISTS (SELECT FROM ${pinOf} pinned WHERE pinned.version IS DISTINCT FROM ${version}) THEN 'pinned'
        WHEN ${respectMaintenance ? heldBack('agentUpdates') : sql<boolean>`false`} THEN 'maintenance'
        WHEN updates.rollout_id IS DISTINCT FROM ${deploymentId}::uuid AND ${isUpdating} THEN 'already_pending'
      END AS reason
      FROM devices LEFT JOIN device_updates updates ON updates.device_id = devices.id
      WHERE devices.id = ANY (${[...deviceIds]}::uuid[])
    ) judged WHERE reason IS NOT NULL`.execute(db)
  return rows.map((row) => ({ ...row, error: null }))
}

export const agentVersionDeployments = offeredKind({
  kind: 'agent_version',
  order: AgentVersionOrder,

  permissions: () => ['settings:write'],

  async prepare({ db, caller }, { versionId }) {
    if (caller.scope !== 'system') throw denied('Only system administrators deploy agent versions')
    return { agentVersion: await versionOf(db, versionId) }
  },

  requireRings({ soakSeconds, maxErrors, batches }) {
    if (soakSeconds < stageSecondsMin)
      throw invalid(`strategy.soakSeconds: must be at least ${stageSecondsMin} for agent versions`)
    if ('percent' in maxErrors && maxErrors.percent > errorPercentMax)
      throw invalid(`strategy.maxErrors: must be at most ${errorPercentMax} percent for agent versions`)
    const devices = batches.reduce((sum, size) => sum + size, 0)
    if ((batches[0] ?? 0) > Math.max(1, Math.ceil((devices * firstStagePercentMax) / 100)))
      throw invalid(
        `strategy.batches: must begin with at most ${firstStagePercentMax} percent of the devices for agent versions`,
      )
  },

  drawKey: (db, { versionId }) => versionOf(db, versionId),

  async offer(db, parts, { deploymentId, work: { agentVersion }, deviceIds, respectMaintenance }) {
    const { stopped } = await db.selectFrom('agentUpdateStop').select('stopped').executeTakeFirstOrThrow()
    if (stopped) return { deviceIds: [], left: [], stop: 'updates_stopped', afterCommit: async () => {} }
    const left = await leftOf(db, deploymentId, agentVersion, { deviceIds, respectMaintenance })
    const without = new Set(left.map(({ deviceId }) => deviceId))
    const offers = await takeOffers(
      db,
      deploymentId,
      sql`SELECT ${offered} FROM devices JOIN agent_versions built ON ${executableFor(agentVersion)}
        WHERE devices.id = ANY (${deviceIds.filter((id) => !without.has(id))}::uuid[])`,
    )
    const signer = workerSignerOf(parts)
    const { publicUrl } = parts.settings
    return {
      deviceIds: offers.map(({ deviceId }) => deviceId),
      left,
      stop: null,
      afterCommit: () => sendOffers({ redis: parts.redis, signer, publicUrl }, deploymentId, offers),
    }
  },

  async endsOf(db, deploymentId, { agentVersion }) {
    const isAbout = sql<boolean>`coalesce(updates.version = ${agentVersion} AND updates.reported_at > device.issued_at, false)`
    const { rows } = await sql<OfferEnd>`
      SELECT device_id, outcome, reason, error, not_before FROM (
        SELECT device.device_id, CASE
            WHEN ${hasSucceeded(agentVersion)} THEN 'succeeded'
            WHEN ${isAbout} AND ${hasFailed(agentVersion)} OR ${agentVersion} = ANY (updates.barred) THEN 'failed'
            WHEN ${isAbout} AND updates.state = 'refused' THEN 'held'
            WHEN device.issued_at < now() - make_interval(secs => ${offerSeconds}) AND NOT (${isAbout} AND ${isUpdating})
              AND NOT (${isAbout} AND updates.state IN ('installing', 'restarting')) THEN 'held'
          END AS outcome,
          CASE WHEN ${hasSucceeded(agentVersion)} THEN NULL WHEN ${isAbout} THEN coalesce(updates.reason, updates.state)
            WHEN ${agentVersion} = ANY (updates.barred) THEN 'barred' ELSE 'no_answer' END AS reason,
          CASE WHEN ${isAbout} THEN left(updates.error, 500) END AS error,
          greatest(updates.next_offer_at, now()) AS not_before
        FROM deployment_devices device JOIN devices ON devices.id = device.device_id
        LEFT JOIN device_updates updates ON updates.device_id = device.device_id
        WHERE device.deployment_id = ${deploymentId}::uuid AND device.status = 'queued'
      ) judged WHERE outcome IS NOT NULL`.execute(db)
    return rows
  },
})

/** Whether a deployment has offered the device a version that it has not answered yet, as a condition on `devices`. */
export const isOfferedByDeployment = sql<boolean>`EXISTS (
  SELECT FROM deployment_devices device WHERE device.device_id = devices.id AND device.status = 'queued'
    AND device.command_id IS NULL AND device.issued_at > now() - make_interval(secs => ${2 * offerSeconds}))`
