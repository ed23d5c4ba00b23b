import type { ScriptSummary } from '@muster/areas/change/scripts/scripts.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import { useCan } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { buttonClass } from '../../../ui/button/Button.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useNewForm } from '../../../ui/list/newForm.tsx'
import { useList } from '../../../ui/list/useList.ts'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { Ago } from '../../../ui/text/time.tsx'
import { organizationColumn } from '../../tenancy/tenancy/placeColumns.tsx'
import { ScriptForm } from './editor/ScriptForm.tsx'
import { ScriptFilters, type ScriptSearch } from './ScriptFilters.tsx'
import { languageText, ScriptMarks, systemsText } from './words.tsx'

/** The scripts that are kept. */
export function ScriptsPage() {
  const search = useSearch({ from: '/app/scripts' })
  const { q, language, os, category, tag, source } = search
  const navigate = useNavigate({ from: '/scripts' })
  const narrow = (next: ScriptSearch) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...next }), replace: true })
  const { org } = usePlace()
  const mayWrite = useCan()('scripts:write') ? undefined : 'You don’t have permission to create scripts'
  const form = useNewForm('New script', mayWrite)
  const list = useList((client) => client.scripts.scripts.list, {
    ...(q && { search: q }),
    ...(language && { language }),
    ...(os && { osType: os }),
    ...(category && { categoryId: category }),
    ...(tag && { tag }),
    ...(source && { source }),
    ...(org && { orgId: org }),
  })
  const isNarrowed = Boolean(q || language || os || category || tag || source)
  const clear = () =>
    narrow({
      ...{ q: undefined, language: undefined, os: undefined },
      ...{ category: undefined, tag: undefined, source: undefined },
    })
  return (
    <ListPage
      title="Scripts"
      lead="Kept in versions, and run on one device or many."
      actions={
        <>
          <Link to="/scripts/library" className={buttonClass()}>
            Library
          </Link>
          {form.button}
        </>
      }
      tools={<ScriptFilters search={search} narrow={narrow} />}
      label="Scripts"
      list={list}
      columns={columns}
      rowId={({ id }) => id}
      empty={
        <NoRows icon={ScrollText} title="No scripts yet" action={form.button} clear={isNarrowed && clear}>
          Write one, import one from the library, or fill in a template.
        </NoRows>
      }
    >
      {form.isOpen && (
        <ScriptForm
          close={form.close}
          done={({ id }) => void navigate({ to: '/scripts/$scriptId', params: { scriptId: id } })}
        />
      )}
    </ListPage>
  )
}

const columns: readonly Column<ScriptSummary>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 200,
    grow: 2,
    cell: ({ id, name }) => (
      <Link
        to="/scripts/$scriptId"
        params={{ scriptId: id }}
        className="rounded font-medium hover:text-accent-text hover:underline"
      >
        {name}
      </Link>
    ),
  },
  { id: 'language', header: 'Language', width: 110, cell: ({ language }) => languageText(language) },
  { id: 'marks', header: 'Notes', width: 180, grow: 1, cell: (script) => <ScriptMarks script={script} /> },
  { id: 'version', header: 'Version', width: 80, align: 'end', cell: ({ version }) => version },
  { id: 'systems', header: 'Systems', width: 130, cell: ({ osTypes }) => systemsText(osTypes) },
  { id: 'tags', header: 'Tags', width: 130, grow: 1, cell: ({ tags }) => tags.join(', ') },
  organizationColumn,
  { id: 'updated', header: 'Updated', width: 110, cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
]
