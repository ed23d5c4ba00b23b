import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'
import { useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation } from '../../../../queries.ts'
import { SideForm } from '../../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { PlaceFields } from '../PlaceFields.tsx'

/** Moves a device to another organization or site, with its inventory and metrics. */
export function MoveForm({ device, close }: { readonly device: Device; close(): void }) {
  const [where, setWhere] = useState({ orgId: device.orgId, siteId: device.siteId })
  const move = useApiMutation(() => api.lifecycle.lifecycle.moveOrg.mutate({ id: device.id, ...where }), {
    refresh: ['devices', 'groups'],
    done: () => {
      toast('Device moved')
      close()
    },
  })
  return (
    <SideForm
      open
      close={close}
      title={`Move ${device.displayName ?? device.hostname}`}
      description="Its inventory and metrics go with it. Its commands stay behind: open ones are canceled, and the new organization does not see them. It leaves the groups of its organization and loses the values of its custom fields."
      verb="Move"
      busy={move.isPending}
      error={move.error}
      submit={() => move.mutate(undefined)}
    >
      <PlaceFields {...where} choose={(orgId, siteId) => setWhere({ orgId, siteId })} />
    </SideForm>
  )
}
