import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../../../api.ts'
import { useApiMutation, useRefresh } from '../../../../queries.ts'
import { Confirm } from '../../../../ui/dialog/Confirm.tsx'
import { ReasonForm } from '../../../../ui/dialog/ReasonForm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'

interface PowerProps {
  readonly device: DeviceDetail
  readonly kind: string | null
  close(): void
}
/** Restarting a machine or shutting it down. */
export function PowerConfirm({ device, kind, close }: PowerProps) {
  const navigate = useNavigate({ from: '/devices/$deviceId' })
  const isReboot = kind === 'reboot'
  if (kind !== 'reboot' && kind !== 'shutdown') return null
  return (
    <Confirm
      open
      danger
      close={close}
      title={`${isReboot ? 'Restart' : 'Shut down'} ${device.hostname}?`}
      verb={isReboot ? 'Restart' : 'Shut down'}
      {...(isReboot ? {} : { type: device.hostname })}
      act={async () => {
        const { id } = await api.devices.commands.create.mutate({ id: device.id, type: kind })
        await navigate({ search: (now) => ({ org: now.org, site: now.site, tab: 'commands', command: id }) })
      }}
    >
      {isReboot
        ? 'Users of the machine are interrupted. If the device is offline, the command waits 10 minutes.'
        : 'Users of the machine are interrupted, and it cannot be started from here. If the device is offline, the command waits 10 minutes.'}
    </Confirm>
  )
}

interface LeaveProps {
  readonly device: DeviceDetail
  readonly open: boolean
  close(): void
}
/** Decommissions a device. */
export function LeaveConfirm({ device: { id, hostname }, open, close }: LeaveProps) {
  const navigate = useNavigate()
  return (
    <Confirm
      danger
      open={open}
      close={close}
      title={`Decommission ${hostname}?`}
      verb="Decommission"
      type={hostname}
      act={async () => {
        await api.lifecycle.lifecycle.remove.mutate({ id })
        await navigate({ to: '/devices' })
        toast(`${hostname} decommissioned`)
      }}
    >
      The certificate is revoked at once and open commands are canceled. The history is kept. To use the device again,
      enroll it again.
    </Confirm>
  )
}

/** Releases a device from quarantine, or dismisses a duplicate. */
export function LockConfirm({ device, kind, close }: PowerProps) {
  const refresh = useRefresh()
  if (kind !== 'release' && kind !== 'distinct') return null
  const isRelease = kind === 'release'
  const others = device.possibleDuplicates.map(({ hostname }) => hostname).join(', ')
  return (
    <Confirm
      open
      close={close}
      title={isRelease ? `Release ${device.hostname}?` : `Dismiss the duplicate of ${device.hostname}?`}
      verb={isRelease ? 'Release' : 'Dismiss duplicate'}
      act={async () => {
        if (isRelease) await api.lifecycle.lifecycle.release.mutate({ id: device.id })
        else await api.lifecycle.lifecycle.dismissDuplicates.mutate({ id: device.id })
        toast(isRelease ? `${device.hostname} released` : 'Duplicate dismissed')
        await refresh('devices')
      }}
    >
      {isRelease
        ? 'The next machine that connects with its key becomes this device. Make sure that only the right machine has the key.'
        : `It reports the same machine as ${others}. The notice is not shown again.`}
    </Confirm>
  )
}

/** Quarantines a device, with a reason for others. */
export function QuarantineForm({ device, close }: Omit<LeaveProps, 'open'>) {
  const lock = useApiMutation(
    (reason: string) => api.lifecycle.lifecycle.quarantine.mutate({ id: device.id, reason }),
    {
      refresh: ['devices'],
      done: () => {
        toast(`${device.hostname} quarantined`)
        close()
      },
    },
  )
  return (
    <ReasonForm
      title={`Quarantine ${device.hostname}`}
      description="Closes its connections and accepts none until the device is released. The machine itself keeps running."
      verb="Quarantine"
      busy={lock.isPending}
      error={lock.error}
      submit={lock.mutate}
      close={close}
    />
  )
}
