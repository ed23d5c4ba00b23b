import { BellOff, BellRing } from 'lucide-react'
import { useApiQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { useWatching } from './useWatching.ts'

/** Waits for an offline device to be online again, or stops to wait. */
export function WatchButton({ deviceId }: { readonly deviceId: string }) {
  const answer = useApiQuery((client) => client.notifications.deviceWatches.get, { id: deviceId })
  const { start, stop, busy } = useWatching()
  if (answer.data === undefined) return null
  const { watching } = answer.data
  const Icon = watching ? BellOff : BellRing
  return (
    <Button busy={busy} onClick={() => (watching ? stop(deviceId) : start(deviceId))}>
      <Icon aria-hidden className="size-4" />
      {watching ? 'Stop watching' : 'Notify me'}
    </Button>
  )
}
