// Members as SCIM users: reads them, shows them, and parses the resources that providers send.
import type { Db } from '@muster/db/database.ts'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { ScimProvider } from '../sso/index.ts'
import type { Filter } from './filter.rules.ts'
import { plainName, valueUnder } from './filter.rules.ts'
import { type Columns, compileFilter } from './filter.sql.ts'
import { userSchema } from './messages.rules.ts'
import { asScimError, badScim } from './provider-call.ts'

interface UserRow {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly isActive: boolean
  readonly userName: string
  readonly externalId: string | null
  readonly givenName: string | null
  readonly familyName: string | null
  readonly roleId: string
  readonly roleName: string
  readonly createdAt: string
  readonly updatedAt: string
}

const name = sql`coalesce(m.display_name, u.name)`
const userName = sql`coalesce(s.user_name, u.email)`
const isActive = sql`(m.status <> 'disabled' AND NOT (m.status = 'active' AND u.status = 'disabled'))`
const updatedAt = sql`greatest(m.updated_at, s.updated_at)`

const columns: Columns = {
  id: { kind: 'text', is: sql`u.id` },
  username: { kind: 'text', is: userName },
  externalid: { kind: 'exact', is: sql`s.external_id` },
  displayname: { kind: 'text', is: name },
  'name.formatted': { kind: 'text', is: name },
  'name.givenname': { kind: 'text', is: sql`s.given_name` },
  'name.familyname': { kind: 'text', is: sql`s.family_name` },
  emails: { kind: 'text', is: sql`u.email` },
  'emails.value': { kind: 'text', is: sql`u.email` },
  'emails.type': { kind: 'text', is: sql`'work'` },
  'emails.primary': { kind: 'boolean', is: sql`true` },
  active: { kind: 'boolean', is: isActive },
  'groups.value': { kind: 'text', is: sql`m.role_id` },
  groups: { kind: 'text', is: sql`m.role_id` },
  'meta.created': { kind: 'time', is: sql`m.created_at` },
  'meta.lastmodified': { kind: 'time', is: updatedAt },
}

const source = ({ id, orgId }: ScimProvider, condition: RawBuilder<unknown>) => sql`FROM organization_users m
  JOIN users u ON u.id = m.user_id JOIN roles r ON r.id = m.role_id
  LEFT JOIN scim_users s ON s.provider_id = ${id} AND s.user_id = m.user_id
  WHERE m.org_id = ${orgId} AND ${condition}`
const selected = sql`SELECT u.id, u.email, ${name} AS name, ${isActive} AS is_active, ${userName} AS user_name, s.external_id,
  s.given_name, s.family_name, r.id AS role_id, r.name AS role_name, m.created_at, ${updatedAt} AS updated_at`

export interface Slice {
  readonly startIndex: number
  readonly count: number
}

/** Members that match the filter, oldest first. */
export async function findUsers(db: Db, provider: ScimProvider, filter: Filter | null, { startIndex, count }: Slice) {
  const condition = filter === null ? sql`true` : asScimError(() => compileFilter(filter, columns))
  const from = source(provider, condition)
  const { rows: counted } = await sql<{ total: number }>`SELECT count(*) AS total ${from}`.execute(db)
  const { rows } = await sql<UserRow>`${selected} ${from}
    ORDER BY m.created_at, m.id LIMIT ${count} OFFSET ${startIndex - 1}`.execute(db)
  return { rows, total: counted[0]?.total ?? 0 }
}

export async function findUser(db: Db, provider: ScimProvider, id: string): Promise<UserRow | undefined> {
  const { rows } = await sql<UserRow>`${selected} ${source(provider, sql`u.id = ${id}`)}`.execute(db)
  return rows[0]
}

/** The user as a SCIM resource. */
export function userResource(row: UserRow, baseUrl: string) {
  const { id, externalId, givenName, familyName } = row
  return {
    schemas: [userSchema],
    id,
    ...(externalId === null ? {} : { externalId }),
    userName: row.userName,
    name: {
      formatted: row.name,
      ...(givenName === null ? {} : { givenName }),
      ...(familyName === null ? {} : { familyName }),
    },
    displayName: row.name,
    emails: [{ value: row.email, type: 'work', primary: true }],
    active: row.isActive,
    groups: [{ value: row.roleId, display: row.roleName, $ref: `${baseUrl}/Groups/${row.roleId}`, type: 'direct' }],
    meta: {
      resourceType: 'User',
      created: row.createdAt,
      lastModified: row.updatedAt,
      location: `${baseUrl}/Users/${id}`,
    },
  }
}

/** The values of a member in a SCIM resource. */
export interface UserInput {
  readonly userName: string
  readonly externalId: string | null
  readonly givenName: string | null
  readonly familyName: string | null
  readonly name: string | null
  readonly email: string
  readonly active: boolean
}

const Address = z.email().max(255)

function text(holder: unknown, attribute: string): string | null {
  const value = valueUnder(holder, plainName(attribute))
  if (value === undefined || value === null || value === '') return null
  if (typeof value !== 'string' || value.length > 255)
    throw badScim('invalidValue', `${attribute}: must be text of at most 255 characters`)
  return value.trim() === '' ? null : value.trim()
}

/** The primary address, else the work address, else the first. */
function addressIn(resource: unknown): string | null {
  const emails = valueUnder(resource, 'emails')
  if (typeof emails === 'string') return emails
  if (!Array.isArray(emails)) return null
  const isPrimary = (each: unknown) => /^true$/i.test(String(valueUnder(each, 'primary')))
  const isWork = (each: unknown) => valueUnder(each, 'type') === 'work'
  const chosen = emails.find(isPrimary) ?? emails.find(isWork) ?? emails[0]
  return typeof chosen === 'string' ? chosen : text(chosen, 'value')
}

function truth(value: unknown): boolean {
  if (value === undefined || value === null) return true
  if (typeof value === 'boolean') return value
  if (typeof value === 'string' && /^(true|false)$/i.test(value)) return value.toLowerCase() === 'true'
  throw badScim('invalidValue', 'active: must be true or false')
}

/** @throws BAD_REQUEST with invalidValue when the resource cannot be a member */
export function userInput(resource: unknown): UserInput {
  const userName = text(resource, 'userName')
  if (userName === null) throw badScim('invalidValue', 'userName: is required')
  const name = valueUnder(resource, 'name')
  const [givenName, familyName] = [text(name, 'givenName'), text(name, 'familyName')]
  const bothNames = [givenName, familyName].filter((part) => part !== null).join(' ')
  const email = Address.safeParse((addressIn(resource) ?? userName).trim().toLowerCase())
  if (!email.success) throw badScim('invalidValue', 'emails or userName: must contain an email address')
  return {
    userName,
    externalId: text(resource, 'externalId'),
    givenName,
    familyName,
    name: text(resource, 'displayName') ?? text(name, 'formatted') ?? (bothNames === '' ? null : bothNames),
    email: email.data,
    active: truth(valueUnder(resource, 'active')),
  }
}

/**
 * The intended values of a change. Where two attributes hold the same value, the one that the provider changed counts.
 * @param before the values of the resource before the change
 */
export function intended(before: UserInput, after: UserInput, resource: unknown, untouched: unknown): UserInput {
  const was = (attribute: string) => text(untouched, attribute)
  const nameBefore = valueUnder(untouched, 'name')
  const nameAfter = valueUnder(resource, 'name')
  const bothNames = [after.givenName, after.familyName].filter((part) => part !== null).join(' ')
  const partsChanged = after.givenName !== before.givenName || after.familyName !== before.familyName
  const formatted = text(nameAfter, 'formatted')
  const name =
    text(resource, 'displayName') !== was('displayName')
      ? text(resource, 'displayName')
      : formatted !== text(nameBefore, 'formatted')
        ? formatted
        : partsChanged && bothNames !== ''
          ? bothNames
          : before.name
  const followsUserName =
    after.email === before.email &&
    after.userName.toLowerCase() !== before.userName.toLowerCase() &&
    before.userName.toLowerCase() === before.email &&
    Address.safeParse(after.userName).success
  return { ...after, name, email: followsUserName ? after.userName.toLowerCase() : after.email }
}
