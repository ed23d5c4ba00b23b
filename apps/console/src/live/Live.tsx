import type { DeviceEvent } from '@muster/areas/control/live/live.contract.ts'
import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useEffect, useEffectEvent, useRef, useState } from 'react'
import { refresh } from '../queries.ts'
import { useCan, useScopeKey } from '../session/session.tsx'
import { usePlace } from '../shell/place.ts'
import { takeEvent } from './deviceStates.ts'
import { followDevices, type StreamState } from './eventStream.ts'

type Listener = (event: DeviceEvent) => void
interface Stream {
  readonly state: StreamState
  readonly listeners: Set<Listener>
}
const StreamContext = createContext<Stream>({ state: 'connecting', listeners: new Set() })

const afterEverything = ['devices', 'tenancy.dashboard', 'groups']
/** By then what the page asked for at its start is there. */
const settledMs = 1_000

/** Follows the devices of the chosen place for everything below. */
export function Live({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient()
  const scope = useScopeKey()
  const { org, site } = usePlace()
  const allowed = useCan()('devices:read')
  const [state, setState] = useState<StreamState>('connecting')
  const [listeners] = useState(() => new Set<Listener>())
  const isFirst = useRef(true)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const take = useEffectEvent((event: DeviceEvent) => {
    takeEvent(event)
    for (const listen of listeners) listen(event)
    if (event.type !== 'resync') return
    const again = () => void refresh(queries, scope, afterEverything)
    // The first resync comes while the page still loads: events between the load and the stream are lost, so it loads again.
    if (isFirst.current) timer.current = setTimeout(again, settledMs)
    else again()
    isFirst.current = false
  })
  // Another scope means another stream.
  useEffect(() => {
    if (!allowed) return
    const stop = followDevices(
      { ...(org && { orgIds: [org] }), ...(site && { siteIds: [site] }) },
      (event) => take(event),
      setState,
    )
    return () => {
      stop()
      clearTimeout(timer.current)
    }
  }, [allowed, org, site, scope])
  return <StreamContext value={{ state, listeners }}>{children}</StreamContext>
}

export const useStreamState = (): StreamState => use(StreamContext).state

/** Calls back with each event while the component is shown. */
export function useDeviceEvents(listen: Listener): void {
  const { listeners } = use(StreamContext)
  const current = useEffectEvent(listen)
  useEffect(() => {
    const each: Listener = (event) => current(event)
    listeners.add(each)
    return () => void listeners.delete(each)
  }, [listeners])
}

/** Refreshes queries after matching events, at most once in `everyMs`, so that a busy fleet does not flood the server. */
export function useRefreshOn(
  matches: (event: DeviceEvent) => boolean,
  names: readonly string[],
  everyMs = 1_500,
): void {
  const queries = useQueryClient()
  const scope = useScopeKey()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const lastAt = useRef(0)
  useDeviceEvents((event) => {
    if (timer.current !== undefined || !matches(event)) return
    timer.current = setTimeout(
      () => {
        timer.current = undefined
        lastAt.current = Date.now()
        void refresh(queries, scope, names)
      },
      Math.max(0, lastAt.current + everyMs - Date.now()),
    )
  })
  useEffect(() => () => clearTimeout(timer.current), [])
}
