// Requests of automations to addresses outside. Headers stay sealed until they are sent.
import { z } from 'zod'
import { deliveryKind } from '../../../../background/delivery-kind.ts'
import { deliverNow, enqueue, postJson, workerConnections } from '../../../../platform/deliveries/index.ts'
import { reportEnds } from '../engine/reports.ts'
import { actionKind, failed, statesOf } from './action-kind.ts'
import { openHeaders } from './headers.ts'

const timeoutMs = 15_000
/** After this time a request counts as failed, if its end was not reported. */
const longestMs = 600_000

export const laneOf = (automationId: string): string => `automation:${automationId}`

const Payload = z.object({
  automationId: z.string(),
  runId: z.string(),
  step: z.number(),
  deviceId: z.string().nullable(),
  attempt: z.number(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
})

export const webhook = actionKind({
  type: 'webhook',
  on: 'texts',
  permissions: () => ['settings:write'],
  async begin({ db, run, afterCommit }, tasks) {
    const { id: runId, automationId, step } = run
    await enqueue(
      db,
      tasks.map(({ id, attempt, device, action: { url, headers = {}, body = '{}' } }) => ({
        lane: laneOf(automationId),
        key: `${id}:${attempt}`,
        payload: { automationId, runId, step, deviceId: device?.id ?? null, attempt, url, headers, body },
      })),
    )
    afterCommit.push(deliverNow)
    const dueAt = new Date(Date.now() + longestMs).toISOString()
    return statesOf(tasks, () => ({ status: 'running', dueAt }))
  },
  check: async (_step, tasks) => statesOf(tasks, () => failed('The endpoint was not reached in time')),
})

/** A step says how often its requests are repeated, so each delivery is one try. */
export const automationRequests = deliveryKind({
  name: 'automation',
  waitsMs: [],
  timeoutMs,
  async send(parts, { lane, key, payload }) {
    const { automationId, url, headers, body } = Payload.parse(payload)
    const opened = openHeaders(parts.keyring, automationId, headers)
    return postJson(workerConnections(parts), lane, url, {
      headers: { ...opened, 'idempotency-key': key },
      ...{ body, timeoutMs },
    })
  },
  async ended(db, ended) {
    await reportEnds(
      db,
      ended.map(({ delivery: { payload, partnerId, orgId }, error, status }) => {
        const { runId, step, deviceId, attempt } = Payload.parse(payload)
        const words = status === 'succeeded' ? null : (error ?? 'The endpoint did not accept the request')
        return { partnerId, orgId, runId, step, deviceId, attempt, error: words }
      }),
    )
    return {}
  },
})
