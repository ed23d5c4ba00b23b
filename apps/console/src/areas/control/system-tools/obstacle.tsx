import type { Device, DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import type { Capability } from '@muster/areas/fleet/devices/state/capabilities.rules.ts'
import { permissionCatalog } from '@muster/areas/vocabulary.contract.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import { Unplug } from 'lucide-react'
import type { ReactNode } from 'react'
import { useCan } from '../../../session/session.tsx'
import { Note } from '../../../ui/page/states.tsx'
import { inabilityWords } from '../../fleet/devices/ability.ts'
import { useCurrent } from '../../fleet/devices/status.tsx'

const words: Readonly<Record<Device['status'], string | undefined>> = {
  online: undefined,
  offline: 'The device is offline. This works when it reconnects',
  updating: 'The agent is being updated. Try again in a minute',
  provisioned: 'The device has no agent yet. Run the installer on the machine',
  quarantined: 'The device is quarantined and takes no commands until it is released',
  decommissioned: 'The device is decommissioned. Enroll it again to use it',
}

/** Why this device cannot serve a command now; undefined when it can. */
export function useObstacle(device: DeviceDetail, permission: Permission, command: Capability): string | undefined {
  const can = useCan()
  const { status } = useCurrent(device)
  if (!can(permission)) return `You don’t have the permission “${permissionCatalog[permission]}”`
  return inabilityWords(device, command) ?? words[status]
}

interface Props {
  readonly obstacle: string | undefined
  /** Whether there is data from before. */
  readonly isKnown: boolean
  readonly children: ReactNode
}

/** Live data of a device. When the device goes offline the last data stays, with the reason above it. */
export function Reachable({ obstacle, isKnown, children }: Props) {
  if (obstacle && !isKnown)
    return (
      <Note icon={Unplug} title="Not available">
        {obstacle}.
      </Note>
    )
  return (
    <>
      {obstacle && (
        <p role="status" className="mb-3 rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn-text">
          {obstacle}. Showing the last data.
        </p>
      )}
      {children}
    </>
  )
}
