import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'
import { permissionCatalog } from '@muster/areas/vocabulary.contract.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import { Unplug } from 'lucide-react'
import type { ReactNode } from 'react'
import { useCan } from '../../../session/session.tsx'
import { Note } from '../../../ui/states.tsx'
import { useCurrent } from '../../fleet/devices/status.tsx'

const words: Readonly<Record<Device['status'], string | undefined>> = {
  online: undefined,
  offline: 'The device is not connected; it can be asked when it is back',
  updating: 'Its agent is being replaced; ask again in a minute',
  provisioned: 'It has no agent yet: run the installer on the machine first',
  quarantined: 'The device is quarantined and takes no commands until somebody lifts that',
  decommissioned: 'The device is decommissioned; to work with it, enrol it again',
}

/** Why nobody can ask this device something now; undefined when one can. */
export function useObstacle(device: Device, permission: Permission): string | undefined {
  const can = useCan()
  const { status } = useCurrent(device)
  if (!can(permission)) return `You need the permission to do this: ${permissionCatalog[permission].toLowerCase()}`
  return words[status]
}

interface Props {
  readonly obstacle: string | undefined
  /** Was something read before the obstacle came? */
  readonly isKnown: boolean
  readonly children: ReactNode
}

/** What a device tells while it is connected. When it goes away, what was read stays, and the reason stands above it. */
export function Reachable({ obstacle, isKnown, children }: Props) {
  if (obstacle && !isKnown)
    return (
      <Note icon={Unplug} title="Not now">
        {obstacle}.
      </Note>
    )
  return (
    <>
      {obstacle && (
        <p role="status" className="mb-3 rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn-text">
          {obstacle}. What you see was read before.
        </p>
      )}
      {children}
    </>
  )
}
