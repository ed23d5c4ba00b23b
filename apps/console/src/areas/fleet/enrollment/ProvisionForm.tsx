import { OsType } from '@muster/areas/fleet/devices/devices.contract.ts'
import { type FormEvent, useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useMe } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { SideForm } from '../../../ui/SideForm.tsx'
import { PlaceFields } from '../devices/PlaceFields.tsx'
import type { Made } from './NewKey.tsx'

const systems = { linux: 'Linux', windows: 'Windows', macos: 'macOS' } as const

interface Props {
  done(made: Made): void
  close(): void
}

/** A device before its agent enrols: its name, place and tags, and a key for it alone. */
export function ProvisionForm({ done, close }: Props) {
  const me = useMe()
  const place = usePlace()
  const [where, setWhere] = useState({ orgId: place.org ?? me.orgId ?? '', siteId: place.site ?? null })
  const [hostname, setHostname] = useState('')
  const [displayName, setDisplayName] = useState('')
  const [system, setSystem] = useState('')
  const [tags, setTags] = useState('')
  const prepare = useApiMutation(
    () =>
      api.enrollment.provision.create.mutate({
        ...where,
        hostname: hostname.trim(),
        displayName: displayName.trim() || null,
        osType: OsType.options.find((each) => each === system) ?? null,
        tags: [
          ...new Set(
            tags
              .split(',')
              .map((tag) => tag.trim())
              .filter(Boolean),
          ),
        ],
      }),
    {
      refresh: ['enrollment', 'devices'],
      done: ({ device, enrollment }) => {
        close()
        const { keyId, key, installCommand } = enrollment
        done({ id: keyId, key, installCommand, orgId: device.orgId, usageCount: 0 })
      },
    },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    prepare.mutate(undefined)
  }
  return (
    <SideForm
      open
      close={close}
      title="Prepare a device"
      description="It is in the list before its machine is. Its key lets in this one machine, once, within a week."
      verb="Prepare it"
      busy={prepare.isPending}
      blocked={
        (where.orgId === '' && 'Choose an organisation first') || (hostname.trim() === '' && 'Enter its hostname first')
      }
      error={prepare.error}
      submit={submit}
    >
      <TextField label="Hostname" value={hostname} onChange={({ target }) => setHostname(target.value)} />
      <TextField
        label="Name in lists"
        optional
        value={displayName}
        onChange={({ target }) => setDisplayName(target.value)}
      />
      <PlaceFields {...where} choose={(orgId, siteId) => setWhere({ orgId, siteId })} />
      <SelectField label="System" optional value={system} onChange={({ target }) => setSystem(target.value)}>
        <option value="">Not known yet</option>
        {Object.entries(systems).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Tags"
        optional
        hint="Several with commas between them."
        value={tags}
        onChange={({ target }) => setTags(target.value)}
      />
    </SideForm>
  )
}
