import { can, create, del, get, id, page, pageOf, success, time } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { ScriptTag } from '../scripts/scripts.contract.ts'

/** A label of scripts. A script that names a new one makes it. */
export const ScriptTagRow = z.object({
  id: id(),
  partnerId: id(),
  orgId: id().nullable(),
  name: z.string(),
  description: z.string().nullable(),
  /** Scripts of the same owner with it. */
  scriptCount: z.number(),
  createdBy: id().nullable(),
  createdAt: time(),
  updatedAt: time(),
})

export const tags = {
  list: get('/script-library/tags', {
    summary: 'List tags of scripts',
    access: can('scripts:read'),
    input: z.object({ orgId: id().optional(), search: z.string().max(100).optional(), ...page }),
    output: pageOf(ScriptTagRow),
  }),
  create: create('/script-library/tags', {
    summary: 'Create a tag of scripts',
    access: can('scripts:write'),
    audit: 'script_tag.create',
    input: z.object({
      orgId: id().nullable().default(null),
      partnerId: id().optional(),
      name: ScriptTag,
      description: z.string().trim().max(2_000).nullable().default(null),
    }),
    output: ScriptTagRow,
  }),
  remove: del('/script-library/tags/:id', {
    summary: 'Delete a tag and remove it from its scripts',
    access: can('scripts:delete'),
    audit: 'script_tag.delete',
    input: z.object({ id: id() }),
    output: success,
  }),
}
