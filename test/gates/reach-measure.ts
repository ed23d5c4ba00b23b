// What a caller reaches and which grants exist, measured inside a transaction that is rolled back.
import { accessibleOrgs, membershipIn, permissionsOfRole } from '@muster/areas/access/auth/index.ts'
import { effectivePermissions } from '@muster/areas/access/roles/index.ts'
import type { Operation } from '@muster/areas/operation.ts'
import { operations } from '@muster/areas/registry.ts'
import type { Services } from '@muster/areas/services.ts'
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { hasPermission } from '@muster/kit/access.ts'
import { AppError } from '@muster/kit/errors.ts'
import { parseInput } from '@muster/kit/operation/input.ts'
import { requestAs } from '@muster/testkit/call.ts'
import { sql } from 'kysely'
import { probesOf } from './budget.ts'
import { exampleOf } from './example-of.ts'
import type { StageWorld } from './stage.ts'

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const nothing = () => {}

/** Sets the transaction's row-level security to that of the caller; null means system scope. */
async function lookAs(db: Db, caller: Caller | null): Promise<void> {
  const whole = caller?.scope === 'partner' && caller.orgAccess === 'all'
  const orgs = caller?.scope === 'partner' && !whole ? `{${(caller.accessibleOrgIds ?? []).join(',')}}` : ''
  await sql`SELECT set_config('muster.scope', ${caller === null ? 'system' : ''}, true),
    set_config('muster.partner', ${whole ? caller.partnerId : ''}, true),
    set_config('muster.org', ${caller?.scope === 'organization' ? caller.orgId : ''}, true),
    set_config('muster.orgs', ${orgs}, true)`.execute(db)
}

/** The caller as it would authenticate after the change; null if it has no membership. */
async function callerNow(db: Db, before: Caller): Promise<Caller | null> {
  await lookAs(db, null)
  const membership = await membershipIn(db, before.userId, before)
  if (membership === undefined) return null
  const { siteIds, deviceGroupIds, orgAccess, roleId } = membership
  const permissions = await permissionsOfRole(db, roleId)
  return {
    ...before,
    siteIds,
    deviceGroupIds,
    orgAccess,
    roleId,
    permissions,
    accessibleOrgIds: accessibleOrgs(membership),
  }
}

/** Lists: reads that need no id. */
const lists = operations.filter(
  ({ endpoint, id }) =>
    endpoint.kind === 'query' &&
    endpoint.method === 'GET' &&
    !endpoint.path.includes('/:') &&
    endpoint.transaction !== 'own' &&
    endpoint.access.who !== 'public' &&
    !id.startsWith('auth.'),
)

/** Lists of what limits name: growth of reach shows in them first. */
const coreLists: ReadonlySet<string> = new Set([
  'devices.devices.list',
  'groups.groups.list',
  'tenancy.organizations.list',
  'tenancy.sites.list',
  'users.users.list',
])
const areaOf = ({ id }: Operation) => id.split('.', 1)[0]

/** The lists that are read after a change by the operation: those of its area, the core and a sample of the others. */
const listsAfter = (change: Operation): readonly Operation[] =>
  probesOf(change, lists, {
    budget: 4_000,
    isCore: (list) => coreLists.has(list.id) || areaOf(list) === areaOf(change),
  })

async function listed(operation: Operation, { db, caller, services, stage }: Look): Promise<string> {
  const { endpoint } = operation
  const { scopes, permission } = endpoint.access
  if (!scopes.includes(caller.scope) || (permission !== null && !hasPermission(caller, permission))) return ''
  const input = parseInput(endpoint, exampleOf(operation).input(stage.stage, caller.scope))
  const request = requestAs(null)
  const reply = { header: nothing, cookie: nothing }
  const hooks = {
    write: () => Promise.reject(new Error('a list must not write')),
    audit: nothing,
    afterCommit: nothing,
    answerLater: nothing,
    stepUp: () => Promise.reject(new Error('a list must not require a proof')),
  }
  try {
    const answer = await operation.handle({ caller, input, db, services, request, reply, ...hooks })
    return JSON.stringify(endpoint.output.parse(answer))
  } catch (error) {
    if (error instanceof AppError) return ''
    throw error
  }
}

interface Look {
  readonly db: Db
  readonly caller: Caller
  readonly services: Services
  readonly stage: StageWorld
  /** The operation that made a change; null reads every list. */
  readonly change: Operation | null
}

/** Every id in the lists of the caller. */
export async function reached(look: Look): Promise<Set<string>> {
  await lookAs(look.db, look.caller)
  const read = look.change === null ? lists : listsAfter(look.change)
  const texts = await Promise.all(read.map((operation) => listed(operation, look)))
  return new Set(texts.flatMap((text) => text.match(uuid) ?? []))
}

/** Memberships, roles, keys and providers of a partner, each with its value and the permissions that it allows. */
export type Grants = ReadonlyMap<
  string,
  {
    readonly value: string
    readonly allows: readonly string[]
    readonly owner: string | null
    /** For members: the sites and the device groups that they are limited to. */
    readonly limits: readonly (readonly string[] | null)[]
  }
>

async function grantsOf(db: Db, partnerId: string): Promise<Grants> {
  await lookAs(db, null)
  const { rows } = await sql<{
    name: string
    value: string
    roleId: string | null
    scopes: string[] | null
    owner: string | null
    siteIds: string[] | null
    groupIds: string[] | null
  }>`
    SELECT 'member ' || id AS name, jsonb_build_array(role_id, org_access, org_ids, status)::text AS value, role_id,
      NULL::text[] AS scopes, user_id AS owner, NULL::uuid[] AS site_ids, NULL::uuid[] AS group_ids
    FROM partner_users WHERE partner_id = ${partnerId}
    UNION ALL SELECT 'member ' || id, jsonb_build_array(role_id, status)::text, role_id, NULL, user_id, site_ids, device_group_ids
    FROM organization_users WHERE partner_id = ${partnerId}
    UNION ALL SELECT 'role ' || id, jsonb_build_array(parent_role_id, force_mfa, name, description)::text, id, NULL, NULL, NULL, NULL
    FROM roles WHERE partner_id = ${partnerId}
    UNION ALL SELECT 'key ' || id, jsonb_build_array(scopes, revoked_at, key_hash)::text, NULL, scopes, user_id, NULL, NULL
    FROM api_keys WHERE partner_id = ${partnerId}
    UNION ALL SELECT 'provider ' || id, md5((to_jsonb(p) - 'scim_last_used_at' - 'updated_at')::text), NULL, ARRAY['*:*'], NULL, NULL, NULL
    FROM sso_providers p WHERE partner_id = ${partnerId}`.execute(db)
  const roleIds = [...new Set(rows.flatMap(({ roleId }) => roleId ?? []))]
  const byRole = Map.groupBy(await effectivePermissions(db, roleIds), ({ roleId }) => roleId)
  const wordsOf = (roleId: string) =>
    (byRole.get(roleId) ?? []).map(({ resource, action }) => `${resource}:${action}`).sort()
  return new Map(
    rows.map(({ name, value, roleId, scopes, owner, siteIds, groupIds }) => {
      const allows = roleId === null ? (scopes ?? []) : wordsOf(roleId)
      return [
        name,
        { value: `${value} ${name.startsWith('role') ? allows : ''}`, allows, owner, limits: [siteIds, groupIds] },
      ]
    }),
  )
}

export interface Measure {
  readonly reached: ReadonlySet<string>
  readonly grants: Grants
  /** The caller with its current limits; null if it can no longer authenticate. */
  readonly caller: Caller | null
}

/** Whether the transaction wrote rows other than audit records. */
export async function hasChanged(db: Db): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM pg_stat_xact_user_tables
    WHERE n_tup_ins + n_tup_upd + n_tup_del > 0 AND relname NOT LIKE 'audit\\_%'`.execute(db)
  return (rows[0]?.count ?? 0) > 0
}

export async function measure(look: Look): Promise<Measure> {
  const grants = await grantsOf(look.db, look.stage.stage.partner)
  const caller = await callerNow(look.db, look.caller)
  return { grants, caller, reached: caller === null ? new Set() : await reached({ ...look, caller }) }
}

type Grant = Grants extends ReadonlyMap<string, infer One> ? One : never

/** A deleted site or group is removed from the limits of members; the remaining limits must be a subset. */
const isSameOrLess = (was: Grant | undefined, is: Grant | undefined): boolean =>
  was?.value === is?.value &&
  (was?.limits ?? []).every((before, index) => {
    const after = is?.limits[index] ?? null
    return before === null ? after === null : after?.every((id) => before.includes(id)) === true
  })

/** Grants that were added, removed or changed, without the caller's own keys, which allow no more than the caller. */
export function changedGrants(before: Grants, after: Grants, userId: string) {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [was, is] = [before.get(name), after.get(name)]
    const [kind = '', id = ''] = name.split(' ')
    if (isSameOrLess(was, is) || (kind === 'key' && (is ?? was)?.owner === userId)) return []
    return [{ kind, id, allows: [...(was?.allows ?? []), ...(is?.allows ?? [])] }]
  })
}

/** Every id of the partner's rows and people. */
export async function idsOf(db: Db, partnerId: string): Promise<Set<string>> {
  const { rows: tables } = await sql<{ name: string }>`
    SELECT c.table_name AS name FROM information_schema.columns c
    WHERE c.table_schema = 'public' AND c.column_name = 'partner_id' AND c.data_type = 'uuid' AND EXISTS (
      SELECT FROM information_schema.columns i
      WHERE i.table_name = c.table_name AND i.table_schema = 'public' AND i.column_name = 'id' AND i.data_type = 'uuid')`.execute(
    db,
  )
  const found = new Set<string>()
  for (const { name } of tables) {
    const { rows } = await sql<{
      id: string
    }>`SELECT id FROM ${sql.table(name)} WHERE partner_id = ${partnerId}`.execute(db)
    for (const { id } of rows) found.add(id)
  }
  const { rows: people } = await sql<{
    userId: string
  }>`SELECT user_id FROM partner_users WHERE partner_id = ${partnerId}
    UNION SELECT user_id FROM organization_users WHERE partner_id = ${partnerId}`.execute(db)
  for (const { userId } of people) found.add(userId)
  return found
}
