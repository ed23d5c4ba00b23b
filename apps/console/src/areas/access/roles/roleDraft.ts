import { type Role, roles } from '@muster/areas/access/roles/roles.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { toast } from '../../../ui/dialog/toasts.tsx'

export type RoleDetail = Role & {
  readonly permissions: readonly { readonly resource: string; readonly action: string }[]
}

/** A role while it is edited. */
export interface Draft {
  readonly name: string
  readonly description: string
  readonly parentRoleId: string | null
  readonly forceMfa: boolean
  readonly own: ReadonlySet<string>
}

const draftOf = ({ name, description, parentRoleId, forceMfa, permissions }: RoleDetail): Draft => ({
  name,
  description: description ?? '',
  parentRoleId,
  forceMfa,
  own: new Set(permissions.map(({ resource, action }) => `${resource}:${action}`)),
})
const written = ({ own, ...draft }: Draft) => JSON.stringify([draft, [...own].sort()])

/** The edited role, whether it differs from the saved one, and the mutation that saves it. */
export function useRoleDraft(role: RoleDetail) {
  const [draft, setDraft] = useState(() => draftOf(role))
  const save = useApiMutation(
    () => {
      const { own, ...rest } = draft
      return api.roles.roles.update.mutate(
        roles.update.input.parse({
          ...rest,
          id: role.id,
          description: draft.description.trim() || null,
          permissions: [...own].map((permission) => {
            const [resource, action] = permission.split(':')
            return { resource, action }
          }),
        }),
      )
    },
    { refresh: ['roles', 'users'], done: () => toast('Role saved') },
  )
  return {
    draft,
    save,
    isChanged: written(draft) !== written(draftOf(role)),
    change: (next: Partial<Draft>) => setDraft((now) => ({ ...now, ...next })),
    toggle: (permission: string, on: boolean) =>
      setDraft((now) => ({
        ...now,
        own: new Set(on ? [...now.own, permission] : [...now.own].filter((each) => each !== permission)),
      })),
  }
}

/** The permissions that a role passes on, each with the name of its source role. */
export function useInherited(parentId: string | null): ReadonlyMap<string, string> {
  const { data } = useApiQuery(
    (client) => client.roles.roles.effectivePermissions,
    { id: parentId ?? '' },
    { enabled: parentId !== null, keepLast: true },
  )
  if (parentId === null) return new Map()
  return new Map(
    data?.permissions.map(({ resource, action, sourceRoleName }) => [`${resource}:${action}`, sourceRoleName]) ?? [],
  )
}
