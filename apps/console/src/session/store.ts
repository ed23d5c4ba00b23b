import { useSyncExternalStore } from 'react'

/** A value outside React that components follow. */
export function createStore<T>(initial: T) {
  let value = initial
  const listeners = new Set<() => void>()
  const subscribe = (listen: () => void) => {
    listeners.add(listen)
    return () => listeners.delete(listen)
  }
  return {
    set(next: T) {
      value = next
      for (const listen of listeners) listen()
    },
    use: () => useSyncExternalStore(subscribe, () => value),
  }
}
