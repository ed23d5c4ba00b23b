import type { Device } from '@muster/areas/devices/devices.contract.ts'
import { type FormEvent, useState } from 'react'
import { api } from '../../api.ts'
import { useAnswer, useChange } from '../../questions.ts'
import { SelectField } from '../../ui/fields.tsx'
import { SideForm } from '../../ui/SideForm.tsx'
import { toast } from '../../ui/toasts.tsx'

/** Another organisation or site for a device, with all that is known of it. */
export function MoveForm({ device, close }: { readonly device: Device; close(): void }) {
  const [orgId, setOrgId] = useState(device.orgId)
  const [siteId, setSiteId] = useState(device.siteId)
  const organizations = useAnswer((client) => client.tenancy.organizations.all, {}).data?.data ?? []
  const sites = useAnswer((client) => client.tenancy.sites.list, { orgId, limit: 100 }).data?.data ?? []
  const move = useChange(() => api.lifecycle.lifecycle.moveOrg.mutate({ id: device.id, orgId, siteId }), {
    refresh: ['devices', 'groups'],
    done: () => {
      toast('The device has moved')
      close()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    move.mutate(undefined)
  }
  return (
    <SideForm
      open
      close={close}
      title={`Move ${device.displayName ?? device.hostname}`}
      description="Its history goes with it. It leaves the groups of its organisation, and people who see only that one lose sight of it."
      verb="Move it"
      busy={move.isPending}
      error={move.error}
      submit={submit}
    >
      <SelectField
        label="Organisation"
        value={orgId}
        onChange={({ target }) => {
          setOrgId(target.value)
          setSiteId(null)
        }}
      >
        {organizations.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Site"
        optional
        value={siteId ?? ''}
        onChange={({ target }) => setSiteId(target.value || null)}
      >
        <option value="">None</option>
        {sites.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
    </SideForm>
  )
}
