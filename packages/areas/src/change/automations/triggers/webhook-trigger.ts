// Starts an automation from another program: with a credential, or with a signature of Standard Webhooks over the raw body.
import { randomUUID } from 'node:crypto'
import type { Db } from '@muster/db/database.ts'
import { admit, type Caller } from '@muster/kit/access.ts'
import { incomingBody } from '@muster/kit/body/incoming-body.ts'
import { unfitInput } from '@muster/kit/body/storable.ts'
import type { RawAnswer, Request } from '@muster/kit/call.ts'
import { can } from '@muster/kit/contract.ts'
import { conflict, invalid, notFound, tooMany, unauthenticated } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { z } from 'zod'
import { callerOfApiKey, carriesApiKey } from '../../../access/api-keys/index.ts'
import { authenticate } from '../../../access/auth/index.ts'
import type { Call } from '../../../operation.ts'
import type { Services } from '../../../services.ts'
import { requireWorking } from '../../../tenancy/tenancy/index.ts'
import { storedAutomation } from '../automations.queries.ts'
import { type RunStatus, triggerBytesMax } from '../runs/runs.contract.ts'
import { triggerSecrets } from './trigger-secret.ts'

const perMinuteMax = 60
const idMax = 255
const named = z.array(z.guid()).max(10_000)

interface Target {
  readonly id: string
  readonly partnerId: string
  readonly orgId: string | null
  readonly status: 'enabled' | 'disabled' | 'awaiting_approval' | 'tripped'
  readonly triggerType: string
  readonly secret: string | null
  readonly previousSecret: string | null
  readonly previousUntil: string | null
  readonly organizationStatus: 'active' | 'suspended' | 'trial' | 'churned' | null
}

export async function triggerRun({ db, input, request, services }: Call<{ id: string }>): Promise<RawAnswer> {
  const bytes = await bodyOf(request)
  const target = await targetOf(db, input.id)
  const caller = await callerOf(services, request)
  if (caller === null) requireSigned(services, request, bytes, target)
  else {
    admit(can('automations:write'), caller)
    await storedAutomation(db, caller, input.id)
  }
  if (target === undefined) throw notFound('Automation')
  if (target.organizationStatus !== null) requireWorking({ status: target.organizationStatus })
  const key = `webhook:${webhookId(request) ?? randomUUID()}`
  const known = await runOf(db, target, key)
  if (known !== undefined) return answer(200, known, true)
  if (target.status !== 'enabled') throw conflict(`The automation is not enabled: ${target.status}`)
  const body = parsed(bytes)
  await requireRate(db, target)
  const { rows } =
    await sql<StartedRun>`INSERT INTO automation_runs (automation_id, partner_id, org_id, triggered_by, trigger_key, body,
      device_ids, requested_by)
    VALUES (${target.id}::uuid, ${target.partnerId}::uuid, ${target.orgId}::uuid, 'webhook', ${key}, ${JSON.stringify(body)}::jsonb,
      ${devicesIn(body)}::uuid[], ${caller?.userId ?? null}::uuid)
    ON CONFLICT (automation_id, trigger_key) DO NOTHING RETURNING id, status`.execute(db)
  const [made] = rows
  if (made !== undefined) return answer(202, made, false)
  const other = await runOf(db, target, key)
  if (other === undefined) throw notFound('Automation')
  return answer(200, other, true)
}

async function bodyOf(request: Request): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of incomingBody(request, { bytesMax: triggerBytesMax })) pieces.push(piece)
  return Buffer.concat(pieces)
}

async function targetOf(db: Db, id: string): Promise<Target | undefined> {
  const { rows } =
    await sql<Target>`SELECT a.id, a.partner_id, a.org_id, a.status, a.trigger_type, a.secret, a.previous_secret,
      a.previous_until, o.status AS organization_status
    FROM automations a LEFT JOIN organizations o ON o.id = a.org_id WHERE a.id = ${id}::uuid`.execute(db)
  return rows[0]
}

/** The caller of a request with a credential; null without one. */
const callerOf = (services: Services, request: Request): Promise<Caller | null> =>
  carriesApiKey(request) ? callerOfApiKey(services, request) : authenticate(services, request)

const webhookId = (request: Request): string | undefined => {
  const id = request.header('webhook-id')
  if (id !== undefined && (id.length > idMax || !/^[\x21-\x7e]+$/.test(id)))
    throw invalid(`webhook-id: must be up to ${idMax} printable characters`)
  return id
}

/** @throws UNAUTHENTICATED, with the same words for an automation that does not exist */
function requireSigned(
  { keyring, clock }: Services,
  request: Request,
  bytes: Buffer,
  target: Target | undefined,
): void {
  const headers = Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, request.header(name) ?? '']),
  )
  const secrets = target?.triggerType === 'webhook' ? triggerSecrets(keyring, target, clock.now()) : []
  const isSigned = secrets.some((secret) => {
    try {
      new Webhook(secret).verify(bytes, headers, { jsonParse: false })
      return true
    } catch {
      return false
    }
  })
  if (!isSigned) throw unauthenticated('A credential, or a valid and recent signature of the webhook, is required')
}

function parsed(bytes: Buffer): Record<string, unknown> {
  if (bytes.length === 0) return {}
  const body = JsonObject.safeParse(jsonIn(bytes))
  if (!body.success) throw invalid('The body must be a JSON object in UTF-8')
  const unfit = unfitInput(body.data)
  if (unfit !== null) throw invalid(unfit)
  return body.data
}

const JsonObject = z.record(z.string(), z.json())

/** @returns undefined for what is no JSON */
function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

/** The devices that the body names; null if it names none. @throws VALIDATION_ERROR for anything else in this field */
function devicesIn({ deviceIds }: Record<string, unknown>): string[] | null {
  if (deviceIds === undefined) return null
  const given = named.safeParse(deviceIds)
  if (!given.success) throw invalid('deviceIds: must be a list of up to 10,000 ids')
  return [...new Set(given.data)]
}

interface StartedRun {
  readonly id: string
  readonly status: RunStatus
}

async function runOf(db: Db, { id }: Target, key: string): Promise<StartedRun | undefined> {
  const { rows } = await sql<StartedRun>`SELECT id, status FROM automation_runs
    WHERE automation_id = ${id}::uuid AND trigger_key = ${key}`.execute(db)
  return rows[0]
}

/** @throws RATE_LIMITED */
async function requireRate(db: Db, { id }: Target): Promise<void> {
  // Triggers are counted one after another.
  await sql`SELECT FROM automations WHERE id = ${id}::uuid FOR NO KEY UPDATE`.execute(db)
  const { rows } = await sql<{ count: number; wait: number | null }>`SELECT count(*)::int AS count,
      ceil(extract(epoch FROM min(created_at) + interval '1 minute' - now()))::int AS wait
    FROM (SELECT created_at FROM automation_runs WHERE automation_id = ${id}::uuid AND triggered_by = 'webhook'
      AND created_at > now() - interval '1 minute' ORDER BY created_at DESC LIMIT ${perMinuteMax}) AS recent`.execute(
    db,
  )
  const [recent] = rows
  if (recent !== undefined && recent.count >= perMinuteMax)
    throw tooMany(Math.max(1, recent.wait ?? 1), `An automation takes ${perMinuteMax} triggers a minute`)
}

const answer = (status: number, { id, status: runStatus }: StartedRun, duplicate: boolean): RawAnswer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify({ runId: id, status: runStatus, duplicate }),
})
