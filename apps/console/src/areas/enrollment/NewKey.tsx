import { Link } from '@tanstack/react-router'
import { CircleCheck, LoaderCircle } from 'lucide-react'
import { useState } from 'react'
import { useDeviceEvents } from '../../live/Live.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { CopyText } from '../../ui/display.tsx'

export interface Made {
  readonly key: string
  readonly orgId: string
}

/** The key, shown this once, with the line to run; it waits for the first machine and says when it is there. */
export function NewKey({ made, close }: { readonly made: Made | null; close(): void }) {
  return (
    <Dialog
      open={made !== null}
      close={close}
      wide
      title="Your enrolment key"
      actions={<Button onClick={close}>Done</Button>}
    >
      {made && <Steps made={made} close={close} />}
    </Dialog>
  )
}

function Steps({ made, close }: { readonly made: Made; close(): void }) {
  const [deviceId, setDeviceId] = useState<string | null>(null)
  useDeviceEvents((event) => {
    const isOurs = event.type === 'device.status' && event.orgId === made.orgId && event.status === 'online'
    if (isOurs && deviceId === null) setDeviceId(event.deviceId)
  })
  const line = `npm run agent -- --server ${window.location.origin} --key ${made.key} --data-dir /var/lib/muster-agent`
  return (
    <div className="grid gap-4">
      <div className="grid gap-1">
        <p className="font-medium text-sm">The key, which is not shown again</p>
        <CopyText text={made.key} label="the key" />
      </div>
      <div className="grid gap-1">
        <p className="font-medium text-sm">Run this on the machine, in a copy of Muster</p>
        <CopyText text={line} label="the line" wrap />
      </div>
      <p role="status" className="flex items-center gap-2 rounded-lg bg-sunken px-3 py-3 text-sm">
        {deviceId === null ? (
          <>
            <LoaderCircle aria-hidden className="size-4 animate-spin text-accent-text" />
            Waiting for the first machine to report …
          </>
        ) : (
          <>
            <CircleCheck aria-hidden className="size-4 text-good-text" />
            <span className="flex-1">A machine is there.</span>
            <Link
              to="/devices/$deviceId"
              params={{ deviceId }}
              onClick={close}
              className="rounded font-medium text-accent-text"
            >
              Look at it
            </Link>
          </>
        )}
      </p>
    </div>
  )
}
