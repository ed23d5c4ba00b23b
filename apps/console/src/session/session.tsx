import type { Me } from '@muster/areas/access/auth/sign-in/session.contract.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import { type QueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useCallback } from 'react'
import type { z } from 'zod'
import { api, codeOf } from '../api.ts'
import { accessToken, mayBeSignedIn, onSessionChange } from './credential.ts'
import { createStore } from './store.ts'

export type Person = z.infer<typeof Me>

const meQuery = {
  queryKey: ['me'] as const,
  queryFn: ({ signal }: { signal: AbortSignal }) => api.auth.session.me.query({}, { signal }),
  staleTime: 60_000,
}

/** Whether the session can do nothing until its email address is confirmed. */
export const addressIsUnproven = createStore(false)
onSessionChange(({ type }) => {
  if (type !== 'renewed') addressIsUnproven.set(false)
})

/** The signed-in user, or null. Loaded once, then cached. */
export async function whoAmI(queries: QueryClient): Promise<Person | null> {
  if (!mayBeSignedIn() || (await accessToken()) === null) return null
  try {
    return await queries.ensureQueryData(meQuery)
  } catch (error) {
    // Until its address is confirmed, a session opens nothing: the sign-in says how to go on.
    if (codeOf(error) !== 'EMAIL_NOT_VERIFIED') throw error
    addressIsUnproven.set(true)
    return null
  }
}

/** The signed-in user, if loaded already. */
export const heldPerson = (queries: QueryClient): Person | undefined => queries.getQueryData(meQuery.queryKey)

/** The user and tenant of the session: the first part of all query keys. */
export const scopeKeyOf = ({ id, scope, partnerId, orgId }: Person): string =>
  [id, scope, partnerId ?? '-', orgId ?? '-'].join('/')

const MeContext = createContext<Person | null>(null)

/** Provides the signed-in user to everything below. */
export function SignedIn({ children }: { readonly children: ReactNode }) {
  return <MeContext value={useSuspenseQuery(meQuery).data}>{children}</MeContext>
}

/** The signed-in user. Only below `SignedIn`, which is around all screens of the shell. */
export function useMe(): Person {
  const me = use(MeContext)
  if (me === null) throw new Error('no user is signed in here')
  return me
}

export const useScopeKey = (): string => scopeKeyOf(useMe())

const grants = (permissions: readonly string[], wanted: Permission): boolean => {
  const [resource] = wanted.split(':')
  return permissions.some((held) => held === wanted || held === '*:*' || held === `${resource}:*`)
}

/** Checks permissions of the signed-in user. The server decides; this only avoids refused requests. */
export function useCan(): (wanted: Permission) => boolean {
  const { permissions } = useMe()
  return useCallback((wanted) => grants(permissions, wanted), [permissions])
}
