import type { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { api } from '../api.ts'
import { asCredential, type EndReason, onSessionChange, replaceCredential } from './credential.ts'

let isSwitching = false
const listeners = new Set<() => void>()
function setSwitching(value: boolean) {
  isSwitching = value
  for (const tell of listeners) tell()
}

/** Whether the console is switching tenants. Data of neither is shown meanwhile. */
export const useSwitching = (): boolean =>
  useSyncExternalStore(
    (tell) => {
      listeners.add(tell)
      return () => listeners.delete(tell)
    },
    () => isSwitching,
  )

interface Membership {
  readonly scope: 'system' | 'partner' | 'organization'
  readonly partnerId: string | null
  readonly orgId: string | null
}

/** Switches to another partner or organization of the user. */
export async function switchTo({ scope, partnerId, orgId }: Membership): Promise<void> {
  replaceCredential(asCredential(await api.auth.sessions.switch.mutate({ scope, partnerId, orgId })))
}

interface Ways {
  isInside(): boolean
  toStart(): Promise<void>
  toLogin(reason: EndReason): Promise<void>
  again(): Promise<void>
}

/** Follows what this and other tabs do with the session, so that no answer of one place is ever seen in another. */
export function followSession(queries: QueryClient, ways: Ways): void {
  onSessionChange(async (told) => {
    if (told.type === 'renewed') return
    await queries.cancelQueries()
    if (told.type === 'ended') {
      await ways.toLogin(told.reason)
      return queries.clear()
    }
    if (!ways.isInside()) {
      queries.clear()
      return ways.again()
    }
    setSwitching(true)
    try {
      const me = await api.auth.session.me.query({})
      queries.removeQueries({ predicate: ({ queryKey: [of] }) => of !== 'me' })
      queries.setQueryData(['me'], me)
      await ways.toStart()
    } finally {
      setSwitching(false)
    }
  })
}
