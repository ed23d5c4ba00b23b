import { useNavigate } from '@tanstack/react-router'
import { Bookmark, BookmarkPlus, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { SideForm } from '../../ui/SideForm.tsx'
import { toast } from '../../ui/toasts.tsx'
import type { DevicesSearch } from './routes.ts'
import { useViews } from './views.ts'

const icon = { 'aria-hidden': true, className: 'size-4' } as const

/** The saved views of the list: go to one, keep the present one, drop one. */
export function ViewMenu({ search }: { readonly search: DevicesSearch }) {
  const { views, save, remove } = useViews()
  const navigate = useNavigate({ from: '/devices' })
  const [isNaming, setNaming] = useState(false)
  const [name, setName] = useState('')
  const { q, status, sort, dir, group, cols } = search
  const here: DevicesSearch = { q, status, sort, dir, group, cols }
  const keep = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') return
    save({ name: name.trim(), search: here })
    setNaming(false)
    setName('')
    toast('The view is saved')
  }
  const drop = (view: (typeof views)[number]) => {
    remove(view.name)
    toast(`“${view.name}” is gone`, { undo: () => save(view) })
  }
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
          ...(views.length > 0
            ? [
                views.map((view) => ({
                  label: view.name,
                  icon: <Bookmark {...icon} />,
                  act: () => void navigate({ search: ({ org, site }) => ({ org, site, ...view.search }) }),
                })),
              ]
            : []),
          [{ label: 'Save this view', icon: <BookmarkPlus {...icon} />, act: () => setNaming(true) }],
          ...(views.length > 0
            ? [
                views.map((view) => ({
                  label: `Delete “${view.name}”`,
                  icon: <Trash2 {...icon} />,
                  act: () => drop(view),
                })),
              ]
            : []),
        ]}
      />
      <SideForm
        open={isNaming}
        close={() => setNaming(false)}
        title="Save this view"
        description="Search, filters, sorting and columns, under a name."
        verb="Save"
        busy={false}
        error={null}
        submit={keep}
      >
        <TextField label="Name" autoFocus value={name} onChange={(event) => setName(event.target.value)} />
      </SideForm>
    </>
  )
}
