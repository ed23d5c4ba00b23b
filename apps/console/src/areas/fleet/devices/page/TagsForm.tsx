import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'
import { useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation, useFullList } from '../../../../queries.ts'
import { SideForm } from '../../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { TextField } from '../../../../ui/form/fields.tsx'

const tagsIn = (text: string) => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
]

/** Edits the tags of one device. */
export function TagsForm({ device, close }: { readonly device: Device; close(): void }) {
  const [typed, setTyped] = useState(device.tags.join(', '))
  const inUse =
    useFullList((client) => client.devices.tags.list, { orgId: device.orgId }, { staleMs: 60_000 }).data ?? []
  const wanted = tagsIn(typed)
  const save = useApiMutation(
    () =>
      api.devices.tags.assign.mutate({
        deviceIds: [device.id],
        add: wanted.filter((tag) => !device.tags.includes(tag)),
        remove: device.tags.filter((tag) => !wanted.includes(tag)),
      }),
    {
      refresh: ['devices'],
      done: () => {
        toast('Tags updated')
        close()
      },
    },
  )
  const others = inUse.map(({ tag }) => tag).filter((tag) => !wanted.includes(tag))
  return (
    <SideForm
      open
      close={close}
      title="Tags"
      description="Labels that filters, groups and commands use to find the device."
      verb="Save"
      busy={save.isPending}
      error={save.error}
      submit={() => save.mutate(undefined)}
    >
      <TextField
        autoFocus
        label="Tags"
        hint="Separate with commas"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      {others.length > 0 && (
        <div className="flex flex-wrap gap-1.5">
          {others.slice(0, 30).map((tag) => (
            <button
              key={tag}
              type="button"
              aria-label={`Add the tag ${tag}`}
              onClick={() => setTyped([...wanted, tag].join(', '))}
              className="rounded border border-line px-1.5 py-0.5 text-muted text-xs hover:border-line-strong hover:text-ink"
            >
              + {tag}
            </button>
          ))}
        </div>
      )}
    </SideForm>
  )
}
