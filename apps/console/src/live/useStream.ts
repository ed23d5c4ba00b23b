import { useEffect, useEffectEvent } from 'react'
import { useScopeKey } from '../session/session.tsx'

const againMs = 5_000

interface Handlers<Event> {
  onData(event: Event): void
  onError(): void
}

/** Follows a stream while the component is shown. It is opened again after an interruption, and for another scope. */
export function useStream<Event>(
  open: (handlers: Handlers<Event>) => { unsubscribe(): void },
  take: (event: Event) => void,
): void {
  const scope = useScopeKey()
  const begin = useEffectEvent(open)
  const receive = useEffectEvent(take)
  useEffect(() => {
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const handlers: Handlers<Event> = {
      onData: (event) => receive(event),
      onError() {
        if (!isOver) timer = setTimeout(reopen, againMs)
      },
    }
    let running = begin(handlers)
    const reopen = () => {
      running.unsubscribe()
      if (!isOver) running = begin(handlers)
    }
    return () => {
      isOver = true
      clearTimeout(timer)
      running.unsubscribe()
    }
  }, [scope])
}
