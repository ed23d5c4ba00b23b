import { useEffect, useEffectEvent } from 'react'
import { api } from '../../../api.ts'
import { useRefresh } from '../../../queries.ts'
import { useScopeKey } from '../../../session/session.tsx'

const againMs = 5_000

/** Shows nothing: it reads the notifications again when they change. */
export function NotificationStream() {
  const scope = useScopeKey()
  const refresh = useRefresh()
  const changed = useEffectEvent(() => void refresh('notifications'))
  // Another scope means another stream.
  useEffect(() => {
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const open = () =>
      api.notifications.notifications.events.subscribe(
        {},
        {
          onData(event) {
            if (event.type !== 'resync') changed()
          },
          onError() {
            if (!isOver) timer = setTimeout(reopen, againMs)
          },
        },
      )
    let running = open()
    const reopen = () => {
      running.unsubscribe()
      if (!isOver) running = open()
    }
    return () => {
      isOver = true
      clearTimeout(timer)
      running.unsubscribe()
    }
  }, [scope])
  return null
}
