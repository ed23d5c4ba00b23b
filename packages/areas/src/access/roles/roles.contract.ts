import { can, changes, create, del, get, id, nameText, patch, personCan, success, time } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { tenantInput } from '../../tenancy/tenancy/tenant.contract.ts'
import { actions, resources } from './permission-words.contract.ts'

const name = nameText(100)
const description = z.string().trim().max(1_000).nullable()
const permissions = z
  .array(z.object({ resource: z.enum([...resources, '*']), action: z.enum([...actions, '*']) }))
  .max(500)

export const Permission = z.object({ resource: z.string(), action: z.string() })

export const Role = z.object({
  id: id(),
  name: z.string(),
  description: z.string().nullable(),
  scope: z.enum(['system', 'partner', 'organization']),
  partnerId: id().nullable(),
  orgId: id().nullable(),
  parentRoleId: id().nullable(),
  isSystem: z.boolean(),
  forceMfa: z.boolean(),
  /** How many users within the caller's reach have the role. */
  userCount: z.number(),
  createdAt: time(),
  updatedAt: time(),
})
export type Role = z.infer<typeof Role>
const RoleDetail = Role.extend({ permissions: z.array(Permission) })

const optional = { description, permissions, parentRoleId: id().nullable(), forceMfa: z.boolean() }

export const roles = {
  list: get('/roles', {
    summary: 'List built-in and custom roles with their numbers of users',
    access: can('users:read'),
    input: z.object(tenantInput),
    output: z.object({ data: z.array(Role) }),
  }),
  create: create('/roles', {
    summary: 'Create a custom role',
    access: personCan('users:write'),
    audit: 'role.create',
    stepUp: 'always',
    input: z.object({ name, ...z.object(optional).partial().shape, ...tenantInput }),
    output: RoleDetail,
  }),
  get: get('/roles/:id', {
    summary: 'Get a role with its own permissions',
    access: can('users:read'),
    input: z.object({ id: id() }),
    output: RoleDetail,
  }),
  update: patch('/roles/:id', {
    summary: 'Update a custom role',
    access: personCan('users:write'),
    audit: 'role.update',
    stepUp: 'always',
    input: changes({ id: id() }, { name, ...optional }),
    output: RoleDetail,
  }),
  remove: del('/roles/:id', {
    summary: 'Delete a custom role that has no users and no role that inherits from it',
    access: personCan('users:delete'),
    audit: 'role.delete',
    stepUp: 'always',
    input: z.object({ id: id() }),
    output: success,
  }),
  clone: create('/roles/:id/clone', {
    summary: 'Clone a role with all its permissions as a custom role',
    access: personCan('users:write'),
    audit: 'role.clone',
    stepUp: 'always',
    input: z.object({ id: id(), name, ...tenantInput }),
    output: RoleDetail,
  }),
  effectivePermissions: get('/roles/:id/effective-permissions', {
    summary: 'List the effective permissions of a role, each with the role that it comes from',
    access: can('users:read'),
    input: z.object({ id: id() }),
    output: z.object({
      roleId: id(),
      permissions: z.array(
        Permission.extend({ sourceRoleId: id(), sourceRoleName: z.string(), inherited: z.boolean() }),
      ),
    }),
  }),
}
