import type { SavedFilter } from '@muster/areas/fleet/filters/filters.contract.ts'
import { useNavigate } from '@tanstack/react-router'
import { Bookmark, BookmarkPlus, Trash2, Users } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation, useFullList } from '../../../../queries.ts'
import { useMe } from '../../../../session/session.tsx'
import { Button } from '../../../../ui/button/Button.tsx'
import { Menu } from '../../../../ui/button/Menu.tsx'
import { SideForm } from '../../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { CheckField, TextField } from '../../../../ui/form/fields.tsx'
import { toastError } from '../../../../ui/page/states.tsx'
import { nameIn, usePlaceNames } from '../../../tenancy/tenancy/placeNames.ts'
import type { DevicesSearch } from '../search.ts'
import { searchOf, viewOf, wholeFilterOf } from './views.ts'

const icon = { 'aria-hidden': true, className: 'size-4' } as const

interface Props {
  readonly search: DevicesSearch
  /** The columns that are shown, in their order. */
  readonly columns: readonly string[]
  /** The rows are there, so other things can be asked for. */
  readonly isReady: boolean
}

/** Saved views of the list: open, save and delete them. */
export function ViewMenu({ search, columns, isReady }: Props) {
  const me = useMe()
  const navigate = useNavigate({ from: '/devices' })
  const [isNaming, setNaming] = useState(false)
  const { orgs } = usePlaceNames()
  const saved = useFullList(
    (client) => client.filters.filters.list,
    { hasView: true },
    { enabled: isReady, staleMs: 30_000 },
  )
  const views = saved.data ?? []
  const own = views.filter(({ ownerId }) => ownerId === me.id)
  const again = useApiMutation(
    ({ name, description, filter, view, shared }: SavedFilter) =>
      api.filters.filters.create.mutate({ name, description, filter: wholeFilterOf({ filter }), view, shared }),
    {
      refresh: ['filters'],
    },
  )
  const drop = useApiMutation(({ id }: SavedFilter) => api.filters.filters.remove.mutate({ id }), {
    refresh: ['filters'],
    done: (_answer, view) =>
      toast(`View “${view.name}” deleted`, { undo: () => again.mutate(view, { onError: toastError }) }),
  })
  const entryOf = (view: SavedFilter) => ({
    label: nameIn(orgs, view),
    icon: view.shared ? <Users {...icon} /> : <Bookmark {...icon} />,
    act: () => void navigate({ search: ({ org, site }) => ({ org, site, ...searchOf(view) }) }),
  })
  return (
    <>
      <Menu
        trigger={
          <Button>
            <Bookmark {...icon} />
            Views
          </Button>
        }
        groups={[
          ...(views.length > 0 ? [views.map(entryOf)] : []),
          [{ label: 'Save view', icon: <BookmarkPlus {...icon} />, act: () => setNaming(true) }],
          ...(own.length > 0
            ? [
                own.map((view) => ({
                  label: `Delete “${view.name}”`,
                  icon: <Trash2 {...icon} />,
                  act: () => drop.mutate(view, { onError: toastError }),
                })),
              ]
            : []),
        ]}
      />
      {isNaming && <SaveForm search={search} columns={columns} close={() => setNaming(false)} />}
    </>
  )
}

function SaveForm({ search, columns, close }: Omit<Props, 'isReady'> & { close(): void }) {
  const [name, setName] = useState('')
  const [shared, setShared] = useState(false)
  const save = useApiMutation(
    () =>
      api.filters.filters.create.mutate({
        name: name.trim(),
        filter: wholeFilterOf(search),
        view: viewOf(search, columns),
        shared,
      }),
    {
      refresh: ['filters'],
      done: () => {
        toast('View saved')
        close()
      },
    },
  )
  return (
    <SideForm
      open
      close={close}
      title="Save view"
      description="Saves the search, filters, sorting and columns. Works in all organizations and sites."
      verb="Save"
      busy={save.isPending}
      blocked={name.trim() === '' && 'Enter a name first'}
      error={save.error}
      submit={() => save.mutate(undefined)}
    >
      <TextField label="Name" autoFocus value={name} onChange={(event) => setName(event.target.value)} />
      <CheckField label="Share" hint="Visible to this organization" checked={shared} onChange={setShared} />
    </SideForm>
  )
}
