// R5: the two requests of the API scenario answered by hand-written Fastify and pg, with the same statements and the same
// token check, but without permissions, tenant transactions, row-level security, output schemas or request logs.

import { createPublicKey } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { fastify } from 'fastify'
import { jwtVerify } from 'jose'
import pg from 'pg'
import { z } from 'zod'
import { answerRequests } from '../src/answering.ts'

const Start = z.object({ url: z.string(), key: z.record(z.string(), z.string()), partnerId: z.string() })

const columns = `devices.id, devices.org_id AS "orgId", devices.site_id AS "siteId", devices.hostname, devices.display_name AS "displayName",
  devices.lifecycle, devices.os_type AS "osType", devices.os_name AS "osName", devices.os_version AS "osVersion", devices.architecture,
  devices.agent_version AS "agentVersion", devices.enrolled_at AS "enrolledAt", devices.tags, devices.auto_update AS "autoUpdate",
  devices.created_at AS "createdAt", devices.updated_at AS "updatedAt", state.status, state.updating_since AS "updatingSince",
  state.last_seen_at AS "lastSeenAt", state.cpu_percent AS "cpuPercent", state.memory_used AS "memoryUsed", state.memory_total AS "memoryTotal",
  state.disk_used AS "diskUsed", state.disk_total AS "diskTotal", state.uptime_seconds AS "uptimeSeconds",
  state.main_agent_silent_since AS "mainAgentSilentSince", state.watchdog_status AS "watchdogStatus"`
const alive = `devices.org_id <> ALL (ARRAY(SELECT gone.id FROM organizations gone WHERE gone.deleted_at IS NOT NULL))`

const list = {
  name: 'list',
  text: `SELECT ${columns} FROM (SELECT devices.id, devices.hostname AS order_key FROM devices
      WHERE devices.partner_id = $1 AND ${alive} AND devices.lifecycle <> 'decommissioned'
      ORDER BY devices.hostname, devices.id LIMIT 51) AS page
    JOIN devices ON devices.id = page.id LEFT JOIN device_state AS state ON state.device_id = page.id
    ORDER BY page.order_key, page.id`,
}
const detail = {
  name: 'detail',
  text: `SELECT ${columns}, devices.kernel_version AS "kernelVersion", devices.machine_id AS "machineId", state.status_at AS "statusAt",
      state.load_1m AS "load1m", state.network_rx_bytes AS "networkRxBytes", state.network_tx_bytes AS "networkTxBytes",
      state.process_count AS "processCount", state.watchdog_seen_at AS "watchdogSeenAt", devices.decommissioned_at AS "decommissionedAt",
      CASE WHEN found.device_id IS NOT NULL THEN json_build_object('hash', found.hash, 'collectedAt', found.collected_at, 'hardware', found.hardware,
        'disks', found.disks, 'network', found.network, 'software', found.software, 'services', found.services, 'users', found.users) END AS inventory
    FROM devices LEFT JOIN device_state AS state ON state.device_id = devices.id LEFT JOIN device_inventory AS found ON found.device_id = devices.id
    WHERE devices.partner_id = $1 AND ${alive} AND devices.id = $2`,
}

answerRequests(async (asked) => {
  const { url, key, partnerId } = Start.parse(asked)
  const verifying = createPublicKey({ format: 'jwk', key })
  const pool = new pg.Pool({ connectionString: url, max: 16 })
  const app = fastify({ logger: false })
  app.addHook('onRequest', async (request) => {
    await jwtVerify(request.headers.authorization?.slice('Bearer '.length) ?? '', verifying, {
      issuer: 'muster',
      audience: 'muster-api',
    })
  })
  app.get('/api/v1/devices', async () => {
    const { rows } = await pool.query({ ...list, values: [partnerId] })
    return { devices: rows.slice(0, 50), nextCursor: rows.length > 50 ? 'next' : null, limit: 50 }
  })
  app.get<{ Params: { id: string } }>('/api/v1/devices/:id', async (request, reply) => {
    const { rows } = await pool.query({ ...detail, values: [partnerId, request.params.id] })
    return rows[0] ?? reply.code(404).send({ code: 'NOT_FOUND', message: 'Device not found' })
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { port: (app.server.address() as AddressInfo).port }
})
