import type { InstallCommands } from '@muster/areas/fleet/enrollment/codes/install-commands.contract.ts'
import { Link } from '@tanstack/react-router'
import { CircleCheck, LoaderCircle } from 'lucide-react'
import { api } from '../../../api.ts'
import { useRefreshOn } from '../../../live/Live.tsx'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { CopyText } from '../../../ui/page/display.tsx'
import { Refusal } from '../../../ui/page/states.tsx'
import { Moment } from '../../../ui/text/time.tsx'
import { StatusMark, useCurrent } from '../devices/status.tsx'
import { InstallLine } from './InstallLine.tsx'

/** A key that was just created or rotated. */
export interface IssuedKey {
  readonly id: string
  readonly key: string
  readonly orgId: string
  /** The uses before this moment. */
  readonly usageCount: number
  readonly installCommands: InstallCommands
}

/** The new key, shown once, with the install command. Waits for the first device and reports it. */
export function NewKey({ issued, close }: { readonly issued: IssuedKey | null; close(): void }) {
  return (
    <Dialog
      open={issued !== null}
      close={close}
      wide
      title="Your enrollment key"
      actions={<Button onClick={close}>Done</Button>}
    >
      {issued && <Steps issued={issued} close={close} />}
    </Dialog>
  )
}

function Steps({ issued, close }: { readonly issued: IssuedKey; close(): void }) {
  return (
    <div className="grid grid-cols-1 gap-5">
      <InstallLine commands={issued.installCommands} />
      <div className="grid grid-cols-1 gap-1">
        <p className="font-medium text-sm">Enrollment key. Paste it when the command asks; you won’t see it again</p>
        <CopyText text={issued.key} label="the key" />
        <p className="text-muted text-xs">
          The command contains no key, so process lists and shell history never show it. Automation sets the variable
          MUSTER_ENROLLMENT_KEY before.
        </p>
      </div>
      <ShortCode keyId={issued.id} />
      <Waiting issued={issued} close={close} />
    </div>
  )
}

/** A short install code to type instead of the key, for machines without a clipboard. */
function ShortCode({ keyId }: { readonly keyId: string }) {
  const make = useApiMutation(() => api.enrollment.codes.create.mutate({ id: keyId }), { refresh: [] })
  const code = make.data
  return (
    <div className="grid grid-cols-1 gap-1">
      <div className="flex items-center justify-between gap-3">
        <p className="font-medium text-sm">No clipboard?</p>
        {!code && (
          <Button small busy={make.isPending} onClick={() => make.mutate(undefined)}>
            Create install code
          </Button>
        )}
      </div>
      {code && (
        <>
          <CopyText text={code.code} label="the code" />
          <p className="text-muted text-xs">
            Type it instead of the key. The code expires on <Moment at={code.expiresAt} />.
          </p>
        </>
      )}
      <Refusal error={make.error} />
    </div>
  )
}

function Waiting({ issued, close }: { readonly issued: IssuedKey; close(): void }) {
  const { id, orgId, usageCount } = issued
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
          Waiting for the first device to report …
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
        <span className="font-medium">{device.displayName ?? device.hostname}</span> is enrolled.
      </span>
      <StatusMark status={status} />
      <Link
        to="/devices/$deviceId"
        params={{ deviceId: device.id }}
        onClick={close}
        className="rounded font-medium text-accent-text"
      >
        View device
      </Link>
    </>
  )
}
