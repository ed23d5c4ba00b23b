// The access token of this tab, kept in memory alone. The refresh token is a cookie that no script can read: it is exchanged
// by one tab at a time, and the others receive the result.
import type { AppRouter } from '@muster/areas/app-router.ts'
import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client'

export interface Credential {
  readonly token: string
  readonly endsAt: number
}
export type EndReason = 'signed-out' | 'expired'
type Told =
  | { readonly type: 'renewed' | 'replaced'; readonly credential: Credential }
  | { readonly type: 'ended'; readonly reason: EndReason }

const earlyMs = 30_000
const answerMs = 1_500
const hintKey = 'muster.signed-in'
const lockName = 'muster-refresh'

let credential: Credential | null = null
let renewal: Promise<Credential | null> | null = null
const listeners = new Set<(told: Told) => void>()
const channel = 'BroadcastChannel' in window ? new BroadcastChannel('muster-session') : null

const bare = createTRPCClient<AppRouter>({ links: [httpLink({ url: '/trpc', headers: { 'x-service-csrf': '1' } })] })

export const asCredential = ({ accessToken, expiresIn }: { accessToken: string; expiresIn: number }): Credential => ({
  token: accessToken,
  endsAt: Date.now() + expiresIn * 1000,
})

/** Whether a user was signed in here before. Without this hint a first visit would send a request that fails. */
export const mayBeSignedIn = () => credential !== null || hint() !== null
const hint = () => {
  const kept = localStorage.getItem(hintKey)
  return kept === null ? null : Number(kept)
}

function take(told: Told) {
  credential = told.type === 'ended' ? null : told.credential
  for (const listen of listeners) listen(told)
}

if (channel) channel.onmessage = ({ data }: MessageEvent<Told>) => take(data)

function tell(told: Told) {
  if (told.type === 'ended') localStorage.removeItem(hintKey)
  else localStorage.setItem(hintKey, String(told.credential.endsAt))
  channel?.postMessage(told)
  take(told)
}

/** Calls back when this or another tab signed in, went to another place, or ended the session. */
export function onSessionChange(listen: (told: Told) => void): () => void {
  listeners.add(listen)
  return () => listeners.delete(listen)
}

/** After a sign-in or a switch: this credential counts from now on, in all tabs. */
export const replaceCredential = (next: Credential) => tell({ type: 'replaced', credential: next })
/** The same person in the same place with another token, for example because it has proved a second factor. */
export const updateCredential = (next: Credential) => tell({ type: 'renewed', credential: next })
/** The session is over, in all tabs. */
export const endSession = (reason: EndReason) => tell({ type: 'ended', reason })

/** A valid token, renewed where needed; null when no user is signed in. */
export async function accessToken(): Promise<string | null> {
  if (credential !== null && credential.endsAt - earlyMs > Date.now()) return credential.token
  return (await renew(credential?.token ?? null))?.token ?? null
}

/** The token as it is, valid or not. */
export const heldToken = (): string | null => credential?.token ?? null

/** Exchanges the cookie for a new token, unless another tab has just done so. */
export function renew(stale: string | null): Promise<Credential | null> {
  renewal ??= underLock(() => renewNow(stale)).finally(() => {
    renewal = null
  })
  return renewal
}

const underLock = <T>(work: () => Promise<T>): Promise<T> =>
  'locks' in navigator ? navigator.locks.request(lockName, work) : work()

async function renewNow(stale: string | null): Promise<Credential | null> {
  const isFresh = () => credential !== null && credential.token !== stale && credential.endsAt - earlyMs > Date.now()
  if (isFresh()) return credential
  // Another tab renewed while we waited for the lock, and its message is still on the way.
  if (stale !== null && (hint() ?? 0) > (credential?.endsAt ?? 0)) await nextMessage()
  if (isFresh()) return credential
  if (!mayBeSignedIn()) return null
  try {
    const tokens = await bare.auth.session.refresh.mutate({})
    const renewed = asCredential(tokens)
    tell({ type: 'renewed', credential: renewed })
    return renewed
  } catch (error) {
    // Without an answer nothing is known: the next request tries again.
    const status = error instanceof TRPCClientError ? error.data?.httpStatus : undefined
    if (status !== 401 && status !== 403) throw error
    endSession('expired')
    return null
  }
}

function nextMessage(): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      stop()
      resolve()
    }
    const timer = setTimeout(done, answerMs)
    const stop = onSessionChange(done)
  })
}
