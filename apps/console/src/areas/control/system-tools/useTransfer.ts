import { useEffect, useRef, useState } from 'react'

export interface Transfer {
  readonly name: string
  readonly direction: 'from' | 'to'
  /** Between 0 and 1. */
  readonly share: number
}

/** One file on its way at a time: how far it is, and the means to call it off. Leaving the page meanwhile asks first. */
export function useTransfer() {
  const [transfer, setTransfer] = useState<Transfer | null>(null)
  const stop = useRef<AbortController>(null)
  useEffect(() => () => stop.current?.abort(), [])
  useEffect(() => {
    if (transfer === null) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [transfer])
  const begin = async <T>(
    what: Omit<Transfer, 'share'>,
    work: (progress: (share: number) => void, signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    stop.current = new AbortController()
    setTransfer({ ...what, share: 0 })
    try {
      return await work((share) => setTransfer({ ...what, share }), stop.current.signal)
    } finally {
      setTransfer(null)
    }
  }
  return { transfer, begin, cancel: () => stop.current?.abort() }
}
