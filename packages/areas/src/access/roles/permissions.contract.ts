import { can, get, signedIn } from '@muster/kit/contract.ts'
import { z } from 'zod'

export const permissions = {
  available: get('/roles/permissions/available', {
    summary: 'List the resources and actions that permissions consist of',
    access: can('users:read'),
    input: z.object({}),
    output: z.object({
      resources: z.array(z.object({ resource: z.string(), actions: z.array(z.string()) })),
      actions: z.array(z.string()),
      /** Alternative words for actions. Roles show the word on the right. */
      synonyms: z.record(z.string(), z.string()),
    }),
  }),
  catalog: get('/permissions/catalog', {
    summary: 'List all permissions with the operations that require them',
    access: signedIn(),
    input: z.object({}),
    output: z.object({
      data: z.array(
        z.object({
          permission: z.string(),
          resource: z.string(),
          action: z.string(),
          description: z.string(),
          /** The IDs of the operations that require it. */
          operations: z.array(z.string()),
          /** Whether the caller holds it, and so may grant it. */
          assignable: z.boolean(),
        }),
      ),
    }),
  }),
}
