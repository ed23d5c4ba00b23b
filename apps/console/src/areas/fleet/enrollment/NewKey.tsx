import { Link } from '@tanstack/react-router'
import { CircleCheck, LoaderCircle } from 'lucide-react'
import { api } from '../../../api.ts'
import { useRefreshOn } from '../../../live/Live.tsx'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { CopyText } from '../../../ui/display.tsx'
import { Refusal } from '../../../ui/states.tsx'
import { Moment } from '../../../ui/time.tsx'
import { StatusMark, useCurrent } from '../devices/status.tsx'

/** A key that was just made, or made anew. */
export interface Made {
  readonly id: string
  readonly key: string
  readonly orgId: string
  /** How often it had been used until then. */
  readonly usageCount: number
  readonly installCommand: string
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
  return (
    <div className="grid grid-cols-1 gap-5">
      <div className="grid grid-cols-1 gap-1">
        <p className="font-medium text-sm">Run this on the Linux machine</p>
        <CopyText text={made.installCommand} label="the line" wrap />
        <p className="text-muted text-xs">
          It installs the agent, starts it with the machine, and enrolls it. Running it again does no harm.
        </p>
      </div>
      <div className="grid grid-cols-1 gap-1">
        <p className="font-medium text-sm">Paste this key when it asks for one; the key is not shown again</p>
        <CopyText text={made.key} label="the key" />
        <p className="text-muted text-xs">
          The line itself holds no key, so the machine's process list and shell history never show it. Scripts give the
          key on standard input.
        </p>
      </div>
      <ShortCode keyId={made.id} />
      <Waiting made={made} close={close} />
    </div>
  )
}

/** What can be typed by hand, in place of the key, at a machine without a clipboard. */
function ShortCode({ keyId }: { readonly keyId: string }) {
  const make = useApiMutation(() => api.enrollment.codes.create.mutate({ id: keyId }), { refresh: [] })
  const code = make.data
  return (
    <div className="grid grid-cols-1 gap-1">
      <div className="flex items-center justify-between gap-3">
        <p className="font-medium text-sm">Typing it by hand?</p>
        {!code && (
          <Button small busy={make.isPending} onClick={() => make.mutate(undefined)}>
            Make a short code
          </Button>
        )}
      </div>
      {code && (
        <>
          <CopyText text={code.code} label="the code" />
          <p className="text-muted text-xs">
            Type it in place of the key. The code is good until <Moment at={code.expiresAt} />.
          </p>
        </>
      )}
      <Refusal error={make.error} />
    </div>
  )
}

function Waiting({ made, close }: { readonly made: Made; close(): void }) {
  const { id, orgId, usageCount } = made
  const key = useApiQuery((client) => client.enrollment.keys.get, { id }, { everyMs: 3_000, staleMs: 0 })
  const isUsed = (key.data?.usageCount ?? usageCount) > usageCount
  useRefreshOn(({ type }) => type === 'device.status' || type === 'device.changed', ['enrollment.keys.get'], 500)
  const newest = useApiQuery(
    (client) => client.devices.devices.list,
    { orgIds: [orgId], sort: 'enrolled', sortDir: 'desc', limit: 1 },
    { enabled: isUsed, everyMs: 3_000 },
  )
  const device = newest.data && 'devices' in newest.data ? newest.data.devices[0] : undefined
  return (
    <div role="status" className="flex items-center gap-2 rounded-lg bg-sunken px-3 py-3 text-sm">
      {!isUsed || !device ? (
        <>
          <LoaderCircle aria-hidden className="size-4 animate-spin text-accent-text" />
          Waiting for the first machine to report …
        </>
      ) : (
        <>
          <CircleCheck aria-hidden className="size-4 text-good-text" />
          <Arrived device={device} close={close} />
        </>
      )}
    </div>
  )
}

function Arrived({ device, close }: { readonly device: Parameters<typeof useCurrent>[0]; close(): void }) {
  const { status } = useCurrent(device)
  return (
    <>
      <span className="flex-1">
        <span className="font-medium">{device.displayName ?? device.hostname}</span> is there.
      </span>
      <StatusMark status={status} />
      <Link
        to="/devices/$deviceId"
        params={{ deviceId: device.id }}
        onClick={close}
        className="rounded font-medium text-accent-text"
      >
        Look at it
      </Link>
    </>
  )
}
