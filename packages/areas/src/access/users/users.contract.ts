import {
  changes,
  del,
  get,
  id,
  limit,
  nameText,
  page,
  pageNumber,
  pageOf,
  patch,
  personCan,
  post,
  stepUpWhen,
  success,
} from '@muster/kit/contract.ts'
import { z } from 'zod'
import { tenantInput } from '../../tenancy/tenancy/tenant.contract.ts'
import { User, userStatus } from './user.contract.ts'

export const name = nameText()
const idList = z.array(id()).max(1_000)
/** The reach of a membership. Left out means no limit. */
export const membershipReach = {
  orgAccess: z.enum(['all', 'selected', 'none']).optional(),
  orgIds: z.array(id()).max(10_000).optional(),
  siteIds: idList.nullable().optional(),
  deviceGroupIds: idList.nullable().optional(),
}

export const users = {
  ofRole: get('/roles/:id/users', {
    summary: 'List users who have a role',
    access: personCan('users:read'),
    input: z.object({ id: id(), ...page }),
    output: pageOf(User),
  }),
  list: get('/users', {
    summary: 'List members of the partner or organization',
    access: personCan('users:read'),
    input: z.object({
      ...tenantInput,
      search: z.string().trim().max(255).optional(),
      status: userStatus.optional(),
      roleId: id().optional(),
      page: pageNumber(),
      limit: limit(500, 100),
    }),
    output: pageOf(User),
  }),
  roles: get('/users/roles', {
    summary: 'List roles that members can be given',
    access: personCan('users:read'),
    input: z.object(tenantInput),
    output: z.object({
      data: z.array(
        z.object({
          id: id(),
          name: z.string(),
          description: z.string().nullable(),
          scope: z.enum(['partner', 'organization']),
          isSystem: z.boolean(),
          /** Whether the caller holds all permissions of the role, and so may give it to others. */
          assignable: z.boolean(),
        }),
      ),
    }),
  }),
  get: get('/users/:id', {
    summary: 'Get a member',
    access: personCan('users:read'),
    input: z.object({ id: id(), ...tenantInput }),
    output: User,
  }),
  update: patch('/users/:id', {
    summary: 'Update the name of a member, or disable or enable the member',
    access: personCan('users:write'),
    audit: 'user.update',
    stepUp: stepUpWhen('the status of an administrator changes'),
    input: changes({ id: id(), ...tenantInput }, { name, status: z.enum(['active', 'disabled']) }),
    output: User,
  }),
  remove: del('/users/:id', {
    summary: 'Remove a member from the partner or organization. The account stays and can be invited again',
    access: personCan('users:delete'),
    audit: 'user.remove',
    stepUp: stepUpWhen('the member is an administrator'),
    input: z.object({ id: id(), ...tenantInput }),
    output: success,
  }),
  role: post('/users/:id/role', {
    summary: 'Set the role of a member, and optionally the reach',
    access: personCan('users:write'),
    audit: 'user.role.assign',
    stepUp: stepUpWhen('administration is given or taken'),
    input: z.object({ id: id(), roleId: id(), ...membershipReach, ...tenantInput }),
    output: User,
  }),
}
