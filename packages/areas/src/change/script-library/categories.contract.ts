import {
  can,
  changes,
  create,
  del,
  get,
  id,
  nameText,
  page,
  pageOf,
  patch,
  success,
  time,
} from '@muster/kit/contract.ts'
import { z } from 'zod'

const name = nameText()
const description = z.string().trim().max(2_000).nullable()
const parentId = id().nullable()

/** A category of scripts. Without an organization it is for all scripts of the partner. */
export const ScriptCategory = z.object({
  id: id(),
  partnerId: id(),
  orgId: id().nullable(),
  parentId,
  name: z.string(),
  description: z.string().nullable(),
  /** Scripts within reach, without those of the categories in it. */
  scriptCount: z.number(),
  createdBy: id().nullable(),
  createdAt: time(),
  updatedAt: time(),
})

const one = { id: id() }

export const categories = {
  list: get('/script-library/categories', {
    summary: 'List categories of scripts',
    access: can('scripts:read'),
    input: z.object({ orgId: id().optional(), ...page }),
    output: pageOf(ScriptCategory),
  }),
  create: create('/script-library/categories', {
    summary: 'Create a category of scripts, at most five deep',
    access: can('scripts:write'),
    audit: 'script_category.create',
    input: z.object({
      orgId: id().nullable().default(null),
      partnerId: id().optional(),
      parentId: parentId.default(null),
      name,
      description: description.default(null),
    }),
    output: ScriptCategory,
  }),
  get: get('/script-library/categories/:id', {
    summary: 'Get a category of scripts',
    access: can('scripts:read'),
    input: z.object(one),
    output: ScriptCategory,
  }),
  update: patch('/script-library/categories/:id', {
    summary: 'Update or move a category of scripts',
    access: can('scripts:write'),
    audit: 'script_category.update',
    input: changes(one, { parentId, name, description }),
    output: ScriptCategory,
  }),
  remove: del('/script-library/categories/:id', {
    summary: 'Delete a category. Its scripts and categories move into the one above',
    access: can('scripts:delete'),
    audit: 'script_category.delete',
    input: z.object(one),
    output: success,
  }),
}
