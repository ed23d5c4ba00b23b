// Device states from the event stream, beside the query cache: a thousand changes a second redraw only the visible rows.
import type { DeviceEvent } from '@muster/areas/control/live/live.contract.ts'
import { useSyncExternalStore } from 'react'

type EventOf<Type> = Extract<DeviceEvent, { type: Type }>
type Figures = Omit<EventOf<'device.heartbeat'>, 'type' | 'orgId' | 'siteId' | 'deviceId' | 'at'>

/** The newest state of a device since the last full read. */
export interface LiveState extends Figures {
  readonly status?: EventOf<'device.status'>['status']
  readonly seenAt?: number
}

const redrawMs = 200
const states = new Map<string, LiveState>()
const watchers = new Map<string, Set<() => void>>()
const changed = new Set<string>()
let timer: ReturnType<typeof setTimeout> | undefined

/** Applies one event. Watchers of the device are notified later, at most five times a second. */
export function takeEvent(event: DeviceEvent): void {
  if (event.type === 'resync') forgetStates()
  if (event.type !== 'device.status' && event.type !== 'device.heartbeat') return
  const { type, orgId: _org, siteId: _site, deviceId, at, ...told } = event
  const known = states.get(deviceId)
  states.set(deviceId, { ...known, ...told, ...(type === 'device.heartbeat' && { seenAt: at }) })
  if (!watchers.has(deviceId)) return
  changed.add(deviceId)
  if (timer === undefined) timer = setTimeout(redraw, redrawMs)
}

/** Full reads follow, which include all events until now. */
export function forgetStates(): void {
  states.clear()
}

function redraw() {
  timer = undefined
  const due = [...changed]
  changed.clear()
  for (const id of due) for (const tell of watchers.get(id) ?? []) tell()
}

function watch(deviceId: string, tell: () => void) {
  const present = watchers.get(deviceId) ?? new Set()
  watchers.set(deviceId, present.add(tell))
  return () => {
    present.delete(tell)
    if (present.size === 0) watchers.delete(deviceId)
  }
}

/** What the stream reported of a device since it was read; undefined when nothing. */
export function useLiveState(deviceId: string): LiveState | undefined {
  return useSyncExternalStore(
    (tell) => watch(deviceId, tell),
    () => states.get(deviceId),
  )
}
