import { OsType } from '@muster/areas/fleet/devices/devices.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useMe } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { SelectField, TextField } from '../../../ui/form/fields.tsx'
import { PlaceFields } from '../devices/PlaceFields.tsx'
import type { IssuedKey } from './NewKey.tsx'

const systems = { linux: 'Linux', windows: 'Windows', macos: 'macOS' } as const

interface Props {
  done(issued: IssuedKey): void
  close(): void
}

/** A device record before its agent enrolls, with a one-time key. */
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
        const { keyId, key, installCommands } = enrollment
        done({ id: keyId, key, installCommands, orgId: device.orgId, usageCount: 0 })
      },
    },
  )
  return (
    <SideForm
      open
      close={close}
      title="Pre-register device"
      description="Add it now; its one-time key lasts 7 days."
      verb="Pre-register device"
      busy={prepare.isPending}
      blocked={(where.orgId === '' && 'Select an organization') || (hostname.trim() === '' && 'Enter a hostname')}
      error={prepare.error}
      submit={() => prepare.mutate(undefined)}
    >
      <TextField label="Hostname" value={hostname} onChange={({ target }) => setHostname(target.value)} />
      <TextField
        label="Display name"
        optional
        value={displayName}
        onChange={({ target }) => setDisplayName(target.value)}
      />
      <PlaceFields {...where} choose={(orgId, siteId) => setWhere({ orgId, siteId })} />
      <SelectField label="Operating system" optional value={system} onChange={({ target }) => setSystem(target.value)}>
        <option value="">Unknown</option>
        {Object.entries(systems).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Tags"
        optional
        hint="Separate with commas."
        value={tags}
        onChange={({ target }) => setTags(target.value)}
      />
    </SideForm>
  )
}
