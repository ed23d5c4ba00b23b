import type { DeviceEvent } from '@muster/areas/control/live/live.contract.ts'
import { api, isApiError, statusOf } from '../api.ts'
import { heldToken, renew } from '../session/credential.ts'

export type StreamState = 'connecting' | 'live' | 'lost' | 'denied'
interface EventFilter {
  readonly orgIds?: string[]
  readonly siteIds?: string[]
}

const firstMs = 500
const mostMs = 15_000

/** The status with which the stream was refused: of its request where it was not even opened. */
function refusedWith(error: unknown): number | undefined {
  const cause: unknown = isApiError(error) ? error.cause : undefined
  const isRefusal = cause !== null && typeof cause === 'object' && 'code' in cause && typeof cause.code === 'number'
  return statusOf(error) ?? (isRefusal ? Number(cause.code) : undefined)
}

/** Follows the devices of a place until stopped. Reconnects by itself after any interruption. */
export function followDevices(
  place: EventFilter,
  take: (event: DeviceEvent) => void,
  show: (state: StreamState) => void,
): () => void {
  let over = false
  let failures = 0
  let shown: StreamState | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let running = open()

  // React keeps each equal update until the next render, which may never come: an hour of events is millions.
  function tell(state: StreamState) {
    if (state !== shown) show(state)
    shown = state
  }

  function open() {
    return api.devices.live.events.subscribe(place, {
      onData(event) {
        if (over) return
        failures = 0
        tell('live')
        take(event)
      },
      onConnectionStateChange: ({ state }) => {
        if (!over && state === 'connecting') tell(failures > 0 ? 'lost' : 'connecting')
      },
      onError: (error) => void later(error),
      onComplete: () => void later(null),
    })
  }

  async function later(error: unknown) {
    running.unsubscribe()
    if (over) return
    const status = refusedWith(error)
    // A user without access to devices has nothing to wait for.
    if (status === 403) return tell('denied')
    tell('lost')
    if (status === 401 && (await renew(heldToken()).catch(() => undefined)) === null) return
    if (over) return
    const pause = Math.min(mostMs, firstMs * 2 ** failures++)
    timer = setTimeout(
      () => {
        running = open()
      },
      pause * (0.5 + Math.random() / 2),
    )
  }

  return () => {
    over = true
    clearTimeout(timer)
    running.unsubscribe()
  }
}
