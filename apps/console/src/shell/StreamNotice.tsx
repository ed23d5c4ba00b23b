import { WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useStreamState } from '../live/Live.tsx'

const patienceMs = 2_000

/** Warns that data may be out of date when the connection is lost for longer than a moment. */
export function StreamNotice() {
  const isLost = useStreamState() === 'lost'
  const [shown, setShown] = useState(false)
  useEffect(() => {
    if (!isLost) return setShown(false)
    const timer = setTimeout(() => setShown(true), patienceMs)
    return () => clearTimeout(timer)
  }, [isLost])
  return (
    <div role="status">
      {shown && (
        <p className="flex items-center justify-center gap-2 bg-warn-soft px-4 py-1.5 text-sm text-warn-text">
          <WifiOff aria-hidden className="size-4" />
          Reconnecting. Data may be out of date.
        </p>
      )}
    </div>
  )
}
