import type { Group } from '@muster/areas/fleet/groups/groups.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { CheckField } from '../../../ui/form/fields.tsx'
import { SearchField } from '../../../ui/form/SearchField.tsx'
import { Failure, Loading } from '../../../ui/page/states.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { StatusMark } from '../devices/status.tsx'

const shown = 50

/** Adds devices of the organization to a static group. */
export function AddMembers({ group, close }: { readonly group: Group; close(): void }) {
  const [q, setQ] = useState<string>()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const answer = useApiQuery(
    (client) => client.devices.devices.list,
    {
      orgIds: [group.orgId],
      ...(group.siteId && { siteIds: [group.siteId] }),
      sort: 'hostname' as const,
      limit: shown,
      filter: { not: { field: 'groupId', op: 'is', value: group.id } },
      ...(q && { search: q }),
    },
    { keepLast: true },
  )
  const devices = answer.data && 'devices' in answer.data ? answer.data.devices : []
  const add = useApiMutation(() => api.groups.members.add.mutate({ id: group.id, deviceIds: [...chosen] }), {
    refresh: ['groups'],
    done: ({ added, skipped }) => {
      toast(`${many(added.length, 'device')} added${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`)
      close()
    },
  })
  return (
    <SideForm
      open
      close={close}
      title={`Add devices to ${group.name}`}
      verb={chosen.size > 0 ? `Add ${many(chosen.size, 'device')}` : 'Add devices'}
      busy={add.isPending}
      blocked={chosen.size === 0 && 'Select a device'}
      error={add.error}
      submit={() => add.mutate(undefined)}
    >
      <SearchField label="Search devices to add" placeholder="Search by name" value={q} change={setQ} />
      {answer.error ? (
        <Failure error={answer.error} again={() => answer.refetch()} />
      ) : answer.isPending ? (
        <Loading />
      ) : (
        <ul className="grid gap-2">
          {devices.map(({ id, displayName, hostname, status }) => (
            <li key={id} className="flex items-center justify-between gap-3 text-sm">
              <CheckField
                label={displayName ?? hostname}
                checked={chosen.has(id)}
                onChange={(on) =>
                  setChosen((now) => new Set(on ? [...now, id] : [...now].filter((each) => each !== id)))
                }
              />
              <StatusMark status={status} />
            </li>
          ))}
          {devices.length === 0 && <li className="text-muted">No matches. Try another search.</li>}
          {devices.length === shown && (
            <li className="text-muted text-sm">There are more matches. Search by name to narrow them.</li>
          )}
        </ul>
      )}
    </SideForm>
  )
}
